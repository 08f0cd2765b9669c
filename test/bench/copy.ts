import { execFile } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, openSync, closeSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ninefold } from '../../output/client.ts'
import { ninefold } from '../cli/command.ts'
import { startServer } from '../e2e/served.ts'
import { administrator } from '../server/access/sign-in.ts'
import { median } from './measuring/rounds.ts'
import { meets, secondsOf } from './measuring/storage/limits.ts'

/**
 * Prints the speed of `ninefold storage cp` beside `curl -T` in the same run: one large file, and many small files that
 * one process of curl sends one after the other over signed URLs that were made before. The limit is 0.8 of the speed of
 * curl. `npm run bench copy full` takes a file of 2 GB and 1,000 files; the default is a tenth of it.
 */
const isFull = process.argv.includes('full')
const rounds = 3
const limit = 0.8
const largeBytes = isFull ? 2e9 : 2e8
const files = isFull ? 1000 : 100

const run = promisify(execFile)
const root = mkdtempSync(join(tmpdir(), 'ninefold-bench-copy-'))
const [data, folder] = [join(root, 'data'), join(root, 'person')]
for (const each of [data, folder, join(folder, 'tree')]) mkdirSync(each)
// An installed command finds its compiled modules after its first run.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'compiled')
const server = await startServer(data)
try {
  const { storage, taxonomy } = new Ninefold(server.transport)
  const { resource_id: organisation } = await taxonomy.createOrganisation({ body: { name: 'acme' } })
  const { resource_id: group } = await taxonomy.createGroup({ organisation, body: { name: 'shop' } })
  const { resource_id: workspace } = await taxonomy.createWorkspace({
    organisation,
    body: { name: 'web', parent_group_id: group },
  })
  const made = await storage.createBucket({ workspace, engine: 'native', body: { name: 'docs' } })
  const at = { workspace, engine: 'native', bucket: made.resource_id }
  await ninefold(folder, ['login', '--url', server.url, '--email', administrator.email], `${administrator.password}\n`)

  /** Runs `ninefold storage cp` whole, with the start of its process. */
  const copied = async (...words: readonly string[]): Promise<void> => {
    const ended = await ninefold(folder, ['storage', 'cp', '--workspace', workspace, ...words])
    if (ended.code !== 0) throw new Error(ended.err)
  }
  /** Returns the options of curl that send a file as an object. */
  const sent = async (path: string, object: string): Promise<readonly string[]> => {
    const { headers, url } = await storage.createPresignedUploadUrl({ ...at, body: { object } })
    const lines = Object.entries(headers).map(([name, value]) => `header = "${name}: ${value}"`)
    return [`upload-file = "${join(folder, path)}"`, `url = "${url}"`, ...lines, 'fail', 'silent', 'show-error']
  }
  const curl = async (transfers: readonly (readonly string[])[]): Promise<void> => {
    const config = join(root, 'curl')
    writeFileSync(config, transfers.map(lines => lines.join('\n')).join('\nnext\n'))
    await run('curl', ['--config', config])
  }

  const random = (path: string, bytes: number): void => {
    const handle = openSync(join(folder, path), 'w')
    for (let left = bytes; left > 0; left -= 2 ** 24)
      writeSync(handle, randomFillSync(Buffer.alloc(Math.min(left, 2 ** 24))))
    closeSync(handle)
  }
  random('large.bin', largeBytes)
  const names = Array.from({ length: files }, (_, i) => `tree/${i}.bin`)
  for (const [i, name] of names.entries()) random(name, 1024 * (1 + (i % 64)))

  const contenders = {
    [`one file of ${largeBytes / 1e6} MB`]: {
      cp: (round: number) => copied('large.bin', `nf://docs/cp-${round}`),
      curl: async (round: number) => {
        const transfer = await sent('large.bin', `curl-${round}`)
        return () => curl([transfer])
      },
    },
    [`${files} files of 1 to 64 KiB`]: {
      cp: (round: number) => copied('-r', 'tree', `nf://docs/tree-${round}`),
      curl: async (round: number) => {
        const transfers: (readonly string[])[] = []
        for (const name of names) transfers.push(await sent(name, `curl-tree-${round}/${name}`))
        return () => curl(transfers)
      },
    },
  }
  for (const [title, { cp, curl: prepare }] of Object.entries(contenders)) {
    const times = { cp: new Array<number>(), curl: new Array<number>() }
    for (let round = 0; round < rounds; round += 1) {
      const transfer = await prepare(round)
      times.curl.push(await secondsOf(transfer))
      times.cp.push(await secondsOf(() => cp(round)))
      for (const object of [`curl-${round}`, `cp-${round}`])
        await storage.deleteObject({ ...at, object }).catch(() => undefined)
    }
    const ratio = median(times.curl) / median(times.cp)
    console.log(`\n${title}: curl -T ${median(times.curl).toFixed(2)} s, cp ${median(times.cp).toFixed(2)} s`)
    if (!meets(`cp is at least ${limit} x curl -T`, `${ratio.toFixed(2)} x`, ratio >= limit)) process.exitCode = 1
  }
} finally {
  await server.end('SIGKILL')
  rmSync(root, { recursive: true, force: true })
}
