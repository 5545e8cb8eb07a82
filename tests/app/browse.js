// node browse.js MODULES CHROMIUM PAGE...: shows each page as readers meet it and prints what happened as JSON, a
// list with an entry for each page. Pictures go beside the page: PAGE.light.png, .dark.png, .print.png, .plain.png
// (without scripts), .narrow.png. MODULES is the folder of playwright-core and axe-core.
"use strict";
const [modules, executablePath, ...pages] = process.argv.slice(2);
const {chromium} = require(modules + "/playwright-core");
const axe = require.resolve(modules + "/axe-core/axe.min.js");

// One view of a page: everything that was said or asked for while it was shown.
async function view(browser, page, options, look) {
  const context = await browser.newContext({viewport: {width: 1000, height: 900}, ...options});
  const tab = await context.newPage();
  const said = [];
  tab.on("console", (message) => said.push(message.type() + ": " + message.text()));
  tab.on("pageerror", (error) => said.push("error: " + error.message));
  tab.on("request", (request) => { if (request.url() !== "file://" + page) said.push("request: " + request.url()); });
  await tab.goto("file://" + page);
  const seen = await look(tab);
  await context.close();
  return {said, seen};
}

const picture = (page, name) => async (tab) => {
  const shot = await tab.screenshot({path: `${page}.${name}.png`, fullPage: true});
  return shot.length;
};

async function zoomed(tab) {
  const plot = tab.locator(".plot .zoom").first();
  if (await plot.count() === 0) return null;
  const pixels = () => plot.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  await plot.focus();
  const before = await pixels();
  await tab.keyboard.press("+");
  await tab.waitForTimeout(100);
  const zoomed_in = await pixels();
  await tab.keyboard.press("0");
  await tab.waitForTimeout(100);
  return {plots: await tab.locator(".plot .zoom canvas").count(), drawings: await tab.locator(".plot").count(),
          key_zooms: zoomed_in !== before, key_shows_all: await pixels() === before};
}

// Without scripts: every drawing is there, and the player shows one frame.
async function plain(tab) {
  await tab.screenshot({path: tab.url().replace("file://", "") + ".plain.png", fullPage: true});
  const drawings = tab.locator("main svg[role=img]");
  let shown = 0;
  const all = await drawings.count();
  for (let i = 0; i < all; ++i) shown += await drawings.nth(i).isVisible() ? 1 : 0;
  const frames = tab.locator(".player .frame:visible");
  return {drawings: all, shown, frames: await frames.count()};
}

async function main() {
  const browser = await chromium.launch({executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"]});
  const out = [];
  for (const page of pages) {
    const light = await view(browser, page, {colorScheme: "light"}, async (tab) => ({
      bytes: await picture(page, "light")(tab), zoom: await zoomed(tab),
      titles: await tab.locator("main h2").evaluateAll((all) => all.map((title) => title.id)),
    }));
    const dark = await view(browser, page, {colorScheme: "dark"}, async (tab) => ({
      bytes: await picture(page, "dark")(tab),
      ink: await tab.evaluate(() => getComputedStyle(document.body).color),
    }));
    const print = await view(browser, page, {}, async (tab) => {
      await tab.emulateMedia({media: "print"});
      return {bytes: await picture(page, "print")(tab), zooms: await tab.locator(".zoom:visible").count()};
    });
    const narrow = await view(browser, page, {viewport: {width: 400, height: 800}}, async (tab) => ({
      bytes: await picture(page, "narrow")(tab),
      wider_than_screen: await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1),
    }));
    const no_script = await view(browser, page, {javaScriptEnabled: false}, plain);
    const reader = await view(browser, page, {bypassCSP: true}, async (tab) => {
      await tab.addScriptTag({path: axe});
      const found = await tab.evaluate(() => axe.run(document, {resultTypes: ["violations"]}));
      return found.violations.map((v) => `${v.id} (${v.impact}): ${v.help}: ${v.nodes[0].html.slice(0, 200)}`);
    });
    out.push({page, said: [light, dark, print, narrow, no_script].flatMap((v) => v.said), light: light.seen,
              dark: dark.seen, print: print.seen, narrow: narrow.seen, plain: no_script.seen, reader: reader.seen});
  }
  await browser.close();
  console.log(JSON.stringify(out, null, 1));
}

main().catch((error) => { console.error(error.stack); process.exit(1); });
