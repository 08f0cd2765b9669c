import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

// This program writes an output and kills itself before or after one of its renames.
const [root = '', files = '{}', when, step] = process.argv.slice(2)
const rename = fs.renameSync
let count = 0
fs.renameSync = (from, to) => {
  count += 1
  const isLast = count === Number(step)
  if (isLast && when === 'before') process.kill(process.pid, 'SIGKILL')
  rename(from, to)
  if (isLast) process.kill(process.pid, 'SIGKILL')
}
syncBuiltinESMExports()
const { write } = await import('../../../generator/write/write.ts')
const record: Record<string, string> = JSON.parse(files)
write(root, new Map(Object.entries(record)), { version: '1.0.0', force: false })
