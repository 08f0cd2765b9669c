import { randomBytes } from 'node:crypto'
import { setTimeout as nextPoll } from 'node:timers/promises'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ninefold } from '../../../../output/client.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { addTenant, signingIn } from '../../../areas/members.ts'
import { administrator } from '../../../server/access/sign-in.ts'
import { pinnedProgram, pinnedServer, type Pinned, type PinnedServer } from '../overload/pinned-server.ts'
import { download, type Asked } from './transfers.ts'

/** A server with a bucket, in a process of its own on the first processor. */
export interface ServedBucket {
  readonly server: PinnedServer
  readonly token: string
  readonly workspace: string
  readonly organisation: string
  /** Returns presigned requests for an object. */
  up(object: string): Promise<Asked>
  down(object: string): Promise<Asked>
}

/** The root key of the vault, which keeps the keys of presigned URLs. */
const rootKey = randomBytes(32).toString('base64')

/** Serves a bucket on SQLite, and a bare server beside, while `run` runs; both and their files are removed afterwards. */
export async function besideBare<R>(run: (served: ServedBucket, bare: Pinned) => Promise<R>): Promise<R> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-bare-'))
  const server = await pinnedServer({ NINEFOLD_VAULT_SEAL_CURRENT_KEY: 'env://ROOT_KEY', ROOT_KEY: rootKey })
  const program = fileURLToPath(new URL('bare-content.ts', import.meta.url))
  const bare = await pinnedProgram([program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    return await run(await bucketOn(server), bare)
  } finally {
    await bare.close()
    await server.close()
    rmSync(folder, { recursive: true })
  }
}

async function bucketOn(server: PinnedServer): Promise<ServedBucket> {
  const as = (token?: string): Ninefold =>
    new Ninefold(createTransport({ baseUrl: server.url.origin, ...(token !== undefined && { token }) }))
  const { api, token } = await signingIn(as)(administrator.email, administrator.password)
  const { organisation, workspace } = await addTenant(api, 'acme')
  const { storage } = api
  const { resource_id: bucket } = await storage.createBucket({ workspace, engine: 'native', body: { name: 'docs' } })
  const at = { workspace, engine: 'native', bucket }
  const down = (object: string): Promise<Asked> => storage.createPresignedDownloadUrl({ ...at, body: { object } })
  const absent = await down('absent')
  // The server takes the lease of the content soon after its start.
  while ((await download(absent)).status === 503) await nextPoll(10)
  const up = (object: string): Promise<Asked> => storage.createPresignedUploadUrl({ ...at, body: { object } })
  return { server, token, organisation, workspace, up, down }
}

/** Returns the resident set of a process and its children, in bytes; NaN on other systems than Linux. */
export function residentBytes(pid: number): number {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    const children = readdirSync(`/proc/${pid}/task`).flatMap(task =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
    return Number(kib ?? 0) * 1024 + children.reduce((sum, child) => sum + residentBytes(child), 0)
  } catch {
    return Number.NaN
  }
}

const ticksPerSecond = 100

/** Returns the processor time of all threads of a process, in seconds; NaN on other systems than Linux. */
export function processorSeconds(pid: number): number {
  if (!existsSync(`/proc/${pid}/stat`)) return Number.NaN
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The fields follow the name, which may contain any character; utime and stime are the 14th and 15th (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
