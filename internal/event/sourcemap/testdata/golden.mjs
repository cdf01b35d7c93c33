// Writes what Node's own reader of source maps says about each column of the minified files here: node golden.mjs
import { SourceMap } from 'node:module'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

for (const name of readdirSync('.').filter(f => f.endsWith('.js.map'))) {
  const json = JSON.parse(readFileSync(name, 'utf8'))
  json.mappings += ';' // Node 20 gives the source of the segment before to the last one, if it has none itself and nothing follows it
  const map = new SourceMap(json)
  let out = '', before = ''
  readFileSync(name.slice(0, -'.map'.length), 'utf8').split('\n').forEach((text, line) => {
    for (let column = 0; column <= text.length; column++) {
      const e = map.findEntry(line, column)
      const found = e.generatedLine === line && e.originalSource !== undefined && e.originalSource !== null
      const says = found ? `${e.originalSource}:${e.originalLine + 1}:${e.originalColumn} ${e.name ?? ''}`.trim() : '-'
      if (says !== before) out += `${line + 1}:${column} ${says}\n`
      before = says
    }
  })
  writeFileSync(name.replace('.js.map', '.golden'), out)
}
