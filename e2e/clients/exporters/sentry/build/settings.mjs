// What all builds share. The server, the account, the project and the token are in SENTRY_URL, SENTRY_ORG, SENTRY_PROJECT and
// SENTRY_AUTH_TOKEN, as Sentry's own tools read them.
export const release = process.env.RELEASE
export const sentry = {
  telemetry: false,
  release: { name: release, deploy: { env: 'production' } },
  errorHandler(error) { throw error },
}
export const honeybadger = {
  apiKey: process.env.SETT_KEY,
  endpoint: process.env.SETT_BASE + '/v1/source_maps',
  deployEndpoint: process.env.SETT_BASE + '/v1/deploys',
  assetsUrl: 'https://shop.test/assets',
  revision: release,
}
