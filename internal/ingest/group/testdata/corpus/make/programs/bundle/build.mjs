// Builds the application in the current folder. usage: build.mjs TOOL OUT
import { createRequire } from 'node:module'
import path from 'node:path'
const require = createRequire(process.cwd() + '/')
const [tool, out] = process.argv.slice(2)
const entry = path.resolve('src/main.js'), dist = path.resolve(out)
const pack = async compiler => new Promise((done, fail) => compiler.run((err, stats) => err || stats.hasErrors() ? fail(err || new Error(stats.toString())) : done()))
const packed = {
  mode: 'production', entry: { main: entry }, devtool: false, experiments: { topLevelAwait: true },
  output: { path: dist, publicPath: '/', filename: 'static/js/[name].[contenthash:8].js', chunkFilename: 'static/js/[id].[contenthash:8].chunk.js', clean: true },
  optimization: { splitChunks: { cacheGroups: { vendor: { test: /node_modules/, name: 'vendors', chunks: 'all', enforce: true } } } },
}
const tools = {
  webpack: () => pack(require('webpack')(packed)),
  rspack: () => pack(require('@rspack/core').rspack({ ...packed, experiments: {}, output: { ...packed.output, chunkFilename: 'static/js/async/[name].[contenthash:8].js' } })),
  vite: async () => (await import(require.resolve('vite').replace(/index\.cjs$/, 'dist/node/index.js'))).build({
    logLevel: 'error', build: { outDir: dist, target: 'esnext', modulePreload: false, rollupOptions: { input: entry } } }),
  rollup: async () => {
    const bundle = await require('rollup').rollup({ input: entry, plugins: [{ resolveId: id => id === 'shoplib' ? path.resolve('node_modules/shoplib/index.js') : null }] })
    await bundle.write({ dir: dist + '/js', format: 'es', entryFileNames: '[name].[hash].js', chunkFileNames: 'chunks/[name].[hash].js' })
  },
  esbuild: () => require('esbuild').build({ entryPoints: [entry], bundle: true, minify: true, splitting: true, format: 'esm', outdir: dist, target: 'esnext', entryNames: '[name]-[hash]', chunkNames: '[name]-[hash]' }),
}
await tools[tool]()
