param rounds = 1
var lock lin
