export default { productionBrowserSourceMaps: false, turbopack: { root: '/tmp/corpus' } }
