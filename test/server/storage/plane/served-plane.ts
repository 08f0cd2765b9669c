import { readdirSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as nextPoll } from 'node:timers/promises'
import { Ninefold } from '../../../../output/client.ts'
import type { BucketInput, CreatePresignedUploadUrlBodyInput, PresignedUrl } from '../../../../output/storage/types.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { areas } from '../../../../server/areas.ts'
import type { StorePlace } from '../../../../server/platform-store.ts'
import { serve } from '../../../../server/serve.ts'
import { addTenant } from '../../../areas/members.ts'
import { administratorFile, signIn } from '../../access/sign-in.ts'
import { openQuickIam } from '../../iam/quick-iam.ts'
import { testFolder, testStoreUrl, type Later } from '../../store/harness.ts'

/** A platform in this process with a socket, and a bucket. */
export interface ServedPlane {
  readonly url: string
  readonly place: StorePlace
  readonly api: Ninefold
  readonly workspace: string
  /** The members of a path to the bucket. */
  readonly at: { readonly workspace: string; readonly engine: string; readonly bucket: string }
  upload(object: string, more?: Omit<CreatePresignedUploadUrlBodyInput, 'object'>): Promise<PresignedUrl>
  download(object: string): Promise<PresignedUrl>
  /** Creates an object with a content. */
  put(object: string, content: string | Uint8Array<ArrayBuffer>): Promise<void>
  /** Opens a connection to the server. */
  open(): Promise<Socket>
  /** Sends bytes on a connection of their own; returns the text of the answers until the server closes. */
  raw(...parts: readonly (string | Uint8Array)[]): Promise<string>
  /** Returns the names of the files that uploads have left in `tmp`. */
  temporary(): readonly string[]
  /** Returns the number of open files with content, on a host with `/proc`. */
  openFiles(): number
}

/** Serves a platform with a workspace and a bucket on a free port of 127.0.0.1. */
export async function servedPlane(later: Later, bucket: Partial<BucketInput> = {}): Promise<ServedPlane> {
  const dataDir = testFolder(later)
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false, limits: { waitMs: 60_000 } }
  const bootstrap = { adminPasswordFile: administratorFile(dataDir) }
  const place = { dataDir, ...(await testStoreUrl(later)) }
  const server = await serve({ baseUrl: undefined, isDev: true, http, bootstrap, ...place }, areas, openQuickIam)
  later(() => server.close())
  const { url } = server
  const api = new Ninefold(createTransport({ baseUrl: url, token: await signIn(url) }))
  const { workspace } = await addTenant(api, 'acme')
  const { storage } = api
  const made = await storage.createBucket({ workspace, engine: 'native', body: { name: 'docs', ...bucket } })
  const at = { workspace, engine: 'native', bucket: made.resource_id }
  const upload: ServedPlane['upload'] = (object, more = {}) =>
    storage.createPresignedUploadUrl({ ...at, body: { object, ...more } })
  const download: ServedPlane['download'] = object => storage.createPresignedDownloadUrl({ ...at, body: { object } })
  const { instance_id = '' } = await storage.getBucket({ ...at, id: at.bucket })
  const folder = join(dataDir, 'storage', instance_id)
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
    later(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  await served(async () => fetch((await download('absent')).url))
  return {
    url,
    place,
    api,
    workspace,
    at,
    upload,
    download,
    async put(object, body) {
      const answer = await fetch((await upload(object)).url, { method: 'PUT', body })
      if (!answer.ok) throw new Error(`the upload is refused: ${await answer.text()}`)
    },
    open,
    async raw(...parts) {
      const socket = await open()
      socket.setTimeout(60_000, () => socket.destroy())
      for (const part of parts) socket.write(part)
      return text(socket).catch(() => '')
    },
    temporary: () => readdirSync(join(folder, 'tmp')),
    openFiles: () => linksOf('/proc/self/fd').filter(link => link.startsWith(folder)).length,
  }
}

function linksOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map(name => {
      try {
        return readlinkSync(join(folder, name))
      } catch {
        return ''
      }
    })
  } catch {
    return []
  }
}

/** Waits until the server serves content: it takes the lease of the content soon after its start. */
async function served(read: () => Promise<Response>): Promise<void> {
  const until = performance.now() + 60_000
  while ((await read()).status === 503) {
    if (performance.now() > until) throw new Error('the server does not serve content')
    await nextPoll(10)
  }
}

/** Returns the target of a presigned URL: its path with its query. */
export const targetOf = (url: string): string => url.slice(new URL(url).origin.length)

/** Returns the status and the reason of each answer in the text of a connection. */
export const answersOf = (received: string): readonly string[] =>
  received
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter(answer => /^HTTP\/1\.1 [2-5]/.test(answer))
    .map(answer => {
      const [, status = ''] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? []
      const [, reason = ''] = /"reason":"(\w+)"/.exec(answer) ?? []
      return `${status} ${reason}`.trim()
    })
