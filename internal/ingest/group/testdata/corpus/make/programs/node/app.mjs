// A service: one statement per line of standard input, after which it prints what was thrown.
import fs from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import assert from 'node:assert'
import { EventEmitter } from 'node:events'
import * as shop from './shop.mjs'

Object.assign(globalThis, { fs, sleep, assert, EventEmitter, ...shop })
for await (const line of createInterface({ input: process.stdin })) {
  try { await (0, eval)(`(async () => { return ${line} })()`); console.log(JSON.stringify({ cls: 'none' })) } catch (e) {
    const plain = x => ({ cls: x?.name ?? typeof x, message: x?.message ?? String(x), stack: x?.stack ?? '', causes: [x?.cause, ...(x?.errors ?? [])].filter(Boolean).map(plain) })
    console.log(JSON.stringify(plain(e)))
  }
}
