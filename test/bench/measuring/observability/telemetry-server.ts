import { execFileSync } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as nextPoll } from 'node:timers/promises'
import { platformWorkspaceId } from '../../../../domain/ports/reserved.ts'
import { Ninefold } from '../../../../output/client.ts'
import type { IngestionConfigInput } from '../../../../output/observability/types.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { root } from '../../../../scripts/project.ts'
import { telemetryFolder } from '../../../../server/observability/native/files/places.ts'
import { key } from '../../../domain/observability/ingest/served-plane.ts'
import { signIn } from '../../../server/access/sign-in.ts'
import { pinnedServer, type PinnedServer } from '../overload/pinned-server.ts'
import { processorSeconds } from '../storage/served-bucket.ts'
import { WatchedTurns } from './watched-turns.ts'

/** The workspace and engine of the telemetry. */
export const at = { workspace: platformWorkspaceId, engine: 'native' } as const

/** A server that takes telemetry of the workspace without limits, in a process of its own on the first processor. */
export interface TelemetryServer {
  readonly server: PinnedServer
  readonly turns: WatchedTurns
  readonly api: Ninefold
  readonly token: string
  /** The address of the ingestion config; the key `key` is that of its senders. */
  readonly ingestUrl: string
  /** The folder of the telemetry of all workspaces. */
  readonly folder: string
}

/** The settings of a server without limits for pushed telemetry. */
const unlimited = {
  NINEFOLD_OBSERVABILITY_LIMITS: JSON.stringify({
    [at.workspace]: { activeSeries: -1, samplesPerSecond: -1, logBytesPerSecond: -1, spansPerSecond: -1 },
  }),
}

/** Serves the built package with an ingestion config while `run` runs; the server and its files are removed afterwards. */
export async function withTelemetry<R>(
  kind: Omit<IngestionConfigInput, 'ingest_keys' | 'name'>,
  run: (served: TelemetryServer) => Promise<R>,
): Promise<R> {
  const turns = new WatchedTurns()
  const server = await pinnedServer({ ...unlimited, ...turns.environment }, builtProgram())
  try {
    const token = await signIn(server.url.origin)
    const api = new Ninefold(createTransport({ baseUrl: server.url.origin, token }))
    const body = { name: 'bench', ...kind, ingest_keys: [{ name: 'bench', secret: key }] }
    const { resource_id: config } = await api.observability.createIngestionConfig({ ...at, body })
    const ingestUrl = new URL(`/ingest/${config}`, server.url).href
    const folder = telemetryFolder(join(readlinkSync(`/proc/${server.pid}/cwd`), 'data'))
    // The turns of the start are not those of telemetry.
    turns.next()
    return await run({ server, turns, api, token, ingestUrl, folder })
  } finally {
    await server.close()
    turns.close()
  }
}

/** Compiles the package, and returns its program. Each thread would need more memory to compile the sources itself. */
function builtProgram(): string {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.ts')], { stdio: ['ignore', 'ignore', 'inherit'] })
  return join(root, 'dist', 'ninefold.js')
}

/** Pushes bodies of OTLP in protobuf to a path of the ingestion config, `concurrent` at a time. */
export async function pushBodies(
  { ingestUrl }: TelemetryServer,
  path: '/v1/logs' | '/v1/traces',
  bodies: Iterator<Uint8Array<ArrayBuffer>>,
  concurrent = 4,
): Promise<void> {
  const headers = { 'content-type': 'application/x-protobuf', authorization: `Bearer ${key}` }
  const sender = async (): Promise<void> => {
    for (let next = bodies.next(); next.done !== true; next = bodies.next()) {
      for (;;) {
        const response = await fetch(ingestUrl + path, { method: 'POST', headers, body: next.value })
        const text = await response.text()
        if (response.ok) break
        // A server that is busy, or has just started, asks senders to come again.
        if (response.status !== 503) throw new Error(`a push was answered ${response.status}: ${text}`)
        await nextPoll(100)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrent }, sender))
}

/** Waits until a server has been idle for a while: after pushes, it still moves lines from parts into blocks. */
export async function untilIdle({ pid }: PinnedServer): Promise<void> {
  // The samples of the event loop themselves take some hundredths of a second.
  const busySeconds = 0.2
  for (let before = processorSeconds(pid), isIdle = false; !isIdle;) {
    // Work that keeps files small begins at most five seconds after the last push.
    await nextPoll(6000)
    const now = processorSeconds(pid)
    isIdle = now - before < busySeconds
    before = now
  }
}
