// Serves the app, and opens the address of the test.
const http = require("node:http");
const next = require("next");
const Sentry = require("@sentry/nextjs");

async function main() {
  const app = next({ dev: true, dir: __dirname, hostname: "127.0.0.1" });
  await app.prepare();
  const server = http.createServer(app.getRequestHandler());
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  await fetch("http://127.0.0.1:" + server.address().port + "/sett-test");
  await Sentry.flush(20000);
  process.exit(0);
}
main();
