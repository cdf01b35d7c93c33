// Prints what V8 says of each shape, as the script of an address.
import fs from 'node:fs'
import vm from 'node:vm'
vm.runInThisContext(fs.readFileSync(process.argv[2], 'utf8') + ';globalThis.runAll = runAll', { filename: process.argv[3] })
await globalThis.runAll(console.log)
