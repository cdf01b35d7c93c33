// Builds with webpack: node build.mjs CONFIGURATION.
import webpack from 'webpack'

const { default: config } = await import('./' + process.argv[2])
webpack(config, (error, stats) => {
  if (error || stats.hasErrors()) {
    console.error(error ?? stats.toString())
    process.exitCode = 1
  }
})
