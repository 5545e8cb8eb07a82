// Makes drawings of a page zoomable. Each stands as an SVG, which paper and readers without scripts see, with its
// data behind it; here uPlot takes the SVG's place. Nothing is fetched and nothing is kept.
(() => {
  "use strict";
  const height = 320;
  const colours = 8;
  const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [12, 4], [2, 6], [6, 2, 2, 2]];

  const hint = "Drag to zoom, double-click for all.";

  const text = (value) => {
    if (value === null || value === undefined) return "";
    return Math.abs(value) < 1e15 && Number.isInteger(value)
      ? value.toLocaleString("en-US") : String(Number(value.toPrecision(4)));
  };

  const bytes = (value) => {
    const power = value < 1 ? 0 : Math.min(4, Math.floor(Math.log2(value) / 10));
    return text(value / 1024 ** power) + " " + ["B", "KiB", "MiB", "GiB", "TiB"][power];
  };

  // The page's own colours, which follow light and dark.
  const theme = () => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const fills = [];
    document.body.append(svg);
    for (let i = 0; i < colours; ++i) {
      const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      rect.setAttribute("class", "c" + i);
      svg.append(rect);
      fills.push(getComputedStyle(rect).fill);
    }
    svg.remove();
    const root = getComputedStyle(document.documentElement);
    return {fills, ink: root.getPropertyValue("--ink"), line: root.getPropertyValue("--line")};
  };

  const axis = (colours_now, more) => ({
    stroke: colours_now.ink, font: "12px system-ui,sans-serif", labelFont: "12px system-ui,sans-serif",
    grid: {stroke: colours_now.line, width: 1}, ticks: {stroke: colours_now.line, width: 1},
    values: (plot, splits) => splits.map((value) => text(value)), ...more,
  });

  // Ticks of a doubling axis: powers of two inside the range, thinned to about ten.
  const doublings = (plot, index, low, high) => {
    const first = Math.ceil(Math.log2(low) - 1e-9), last = Math.floor(Math.log2(high) + 1e-9);
    const every = Math.max(1, Math.ceil((last - first + 1) / 10));
    const ticks = [];
    for (let power = first; power <= last; power += every) ticks.push(2 ** power);
    return ticks.length > 1 ? ticks : [low, high];
  };

  const amount = (data) => data.bytes ? bytes : text;

  const line_options = (data, look) => ({
    series: [{label: data.x, value: (plot, value) => value === null ? "" : amount(data)(value)}, ...data.curves.map((curve, i) => ({
      label: curve.name || data.y, stroke: look.fills[i % colours], width: 2, dash: dashes[i % colours],
      spanGaps: true, value: (plot, value) => text(value),
    }))],
  });

  const line_data = (data) => {
    const tables = data.curves.map((curve) => [curve.points.map((p) => p[0]), curve.points.map((p) => p[1])]);
    return tables.length === 1 ? tables[0] : uPlot.join(tables);
  };

  // Spans and dots are drawn by hand on uPlot's canvas; it brings axes, zoom and the pointer.
  const draw_spans = (data, look) => (plot) => {
    const {ctx} = plot;
    const {left, top, width, height: inner} = plot.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, inner);
    ctx.clip();
    const tall = inner / data.lanes.length;
    for (const [lane, from, until, colour] of data.spans) {
      const x = plot.valToPos(from, "x", true);
      ctx.fillStyle = look.fills[colour % colours];
      ctx.fillRect(x, top + tall * (lane + 0.12), Math.max(plot.valToPos(until, "x", true) - x, 1), tall * 0.76);
    }
    ctx.restore();
  };
  const span_at = (data) => (plot, x, y) => {
    const lane = Math.floor(y / plot.over.clientHeight * data.lanes.length);
    const at = plot.posToVal(x, "x");
    for (let i = data.spans.length; i-- > 0;) {
      const span = data.spans[i];
      if (span[0] === lane && span[1] <= at && at <= span[2]) return span[4];
    }
    return "";
  };

  const draw_dots = (data, look) => (plot) => {
    const {ctx} = plot;
    const place = (dot) => [plot.valToPos(dot[0], "x", true), plot.valToPos(dot[1], "y", true)];
    const scale = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
    ctx.clip();
    ctx.strokeStyle = look.fills[5];
    ctx.lineWidth = 2 * scale;
    ctx.beginPath();
    for (const dot of data.dots) if (dot[2]) ctx.lineTo(...place(dot));
    ctx.stroke();
    for (const dot of data.dots) {
      ctx.fillStyle = look.fills[dot[2] ? 5 : 7];
      ctx.beginPath();
      ctx.arc(...place(dot), (dot[2] ? 5 : 3) * scale, 0, 7);
      ctx.fill();
    }
    ctx.restore();
  };
  const dot_at = (data) => (plot, x, y) => {
    let best = "", least = 20 * 20;
    for (const dot of data.dots) {
      const far = (plot.valToPos(dot[0], "x") - x) ** 2 + (plot.valToPos(dot[1], "y") - y) ** 2;
      if (far < least) [best, least] = [dot[3], far];
    }
    return best;
  };

  const options_of = (data, look, said) => {
    const pointed = (at) => [(plot) => {
      const {left, top} = plot.cursor;
      said.textContent = (left === undefined || left < 0 ? "" : at(plot, left, top)) || hint;
    }];
    const x = axis(look, {label: data.x, space: 80, values: (plot, splits) => splits.map(amount(data)), ...(data.log ? {splits: doublings, space: 0, filter: (u, s) => s} : {})});
    const y = axis(look, {size: 100, label: data.y});
    const scales = {x: {time: false, ...(data.log ? {distr: 3, log: 2, range: (plot, low, high) => [low, high]} : {})}};
    const from_zero = {range: (plot, low, high) => uPlot.rangeNum(0, Math.max(high, 1e-12), 0.05, true)};
    if (data.kind === "lanes") {
      return {
        scales: {...scales, y: {range: [0, data.lanes.length]}}, legend: {show: false}, cursor: {y: false, points: {show: false}},
        series: [{}, {paths: () => null, points: {show: false}}],
        axes: [x, axis(look, {
          size: 140, grid: {show: false}, ticks: {show: false}, gap: 8,
          splits: () => data.lanes.map((name, i) => data.lanes.length - i - 0.5),
          filter: (u, s) => s, values: () => data.lanes, space: 1,
        })],
        hooks: {draw: [draw_spans(data, look)], setCursor: pointed(span_at(data))},
      };
    }
    if (data.kind === "dots") {
      return {
        scales: {...scales, y: from_zero}, legend: {show: false}, cursor: {points: {show: false}},
        series: [{}, {paths: () => null, points: {show: false}}], axes: [x, y],
        hooks: {draw: [draw_dots(data, look)], setCursor: pointed(dot_at(data))},
      };
    }
    return {scales: {...scales, y: from_zero}, axes: [x, y], ...line_options(data, look)};
  };

  const columns_of = (data) => {
    if (data.kind === "lanes") {
      const ends = data.spans.flatMap((span) => [span[1], span[2]]).sort((a, b) => a - b);
      return [[ends[0], ends[ends.length - 1]], [null, null]];
    }
    if (data.kind === "dots") {
      const dots = [...data.dots].sort((a, b) => a[0] - b[0]);
      const right = dots[dots.length - 1][0] * 1.03;  // so that no dot is cut
      return [[0, ...dots.map((dot) => dot[0]), right], [0, ...dots.map((dot) => dot[1]), null]];
    }
    return line_data(data);
  };

  // Keys for those who do not point: + and - zoom, arrows move, 0 shows all.
  const by_key = (plot, whole) => (event) => {
    const {min, max} = plot.scales.x;
    const log = plot.scales.x.distr === 3;
    const to = log ? Math.log : (v) => v, back = log ? Math.exp : (v) => v;
    const low = to(min), high = to(max), middle = (low + high) / 2, half = (high - low) / 2;
    const set = (a, b) => plot.setScale("x", {min: Math.max(back(a), whole[0]), max: Math.min(back(b), whole[1])});
    const move = Math.min(half / 2, to(whole[1]) - high), retreat = Math.min(half / 2, low - to(whole[0]));
    switch (event.key) {
      case "+": case "=": set(middle - half / 2, middle + half / 2); break;
      case "-": set(middle - half * 2, middle + half * 2); break;
      case "ArrowRight": set(low + move, high + move); break;
      case "ArrowLeft": set(low - retreat, high - retreat); break;
      case "0": plot.setScale("x", {min: whole[0], max: whole[1]}); break;
      default: return;
    }
    event.preventDefault();
  };

  const show = (figure) => {
    const data = JSON.parse(figure.querySelector("script").textContent);
    const svg = figure.querySelector("svg");
    const place = document.createElement("div");
    const said = document.createElement("p");
    place.className = "zoom";
    place.tabIndex = 0;
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", svg.getAttribute("aria-label") + ": plus and minus zoom, arrows move, 0 shows all");
    said.className = "said";
    said.textContent = hint;
    figure.append(place, said);
    figure.classList.add("live");
    if (data.kind !== "curves") figure.classList.add("own");  // its colours are told by the page's legend
    const columns = columns_of(data);
    let plot = null, keys = null;
    const draw = () => {
      if (plot) {
        place.removeEventListener("keydown", keys);
        plot.destroy();
      }
      const look = theme();
      const tall = data.kind === "lanes" ? Math.max(160, 18 * data.lanes.length + 60) : height;
      plot = new uPlot({width: place.clientWidth, height: tall, ...options_of(data, look, said)}, columns, place);
      const whole = [columns[0][0], columns[0][columns[0].length - 1]];
      keys = by_key(plot, whole);
      place.addEventListener("keydown", keys);
    };
    draw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    addEventListener("resize", () => plot.setSize({width: place.clientWidth, height: plot.height}));
  };

  document.querySelectorAll(".plot").forEach(show);
})();
