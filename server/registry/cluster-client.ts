import type { Clock } from '../../domain/ports/clock.ts'
import { systemPrincipalId } from '../../domain/ports/reserved.ts'
import type { Cluster, ClusterManifest } from '../../domain/registry/engines/cluster.ts'
import type { DistributionEngines } from '../../domain/registry/engines/distribution-engines.ts'
import { manifestTypes } from '../../domain/registry/manifests/media-types.ts'
import { maxManifestBytes } from '../../domain/registry/manifests/parse-manifest.ts'
import { digestHeader } from '../../domain/registry/plane/plane-call.ts'
import type { RegistryTokens } from '../../domain/registry/tokens/registry-tokens.ts'
import type { TokenAction } from '../../domain/registry/tokens/scopes.ts'
import { isDigest } from '../../domain/registry/values/digest.ts'
import { isTag } from '../../domain/registry/values/names.ts'
import { engineUnavailable } from '../../output/shared/errors.ts'
import { isRecord } from '../../runtime/validation.ts'
import { sendRequest, type OutgoingRequest } from '../outgoing-request.ts'

/** The setting of an engine. */
export interface EngineSetting {
  readonly name: string
  readonly url: string
  readonly host: string
}

/** The time for an answer of a cluster, in milliseconds. */
const patienceMs = 10_000

/** The largest list of tags in bytes: a million tags. */
const maxTagsBytes = 2 ** 27

/** Returns the engines of a setting. */
export const clusterEngines = (
  settings: readonly EngineSetting[],
  tokens: Pick<RegistryTokens, 'access'>,
  clock: Pick<Clock, 'now'>,
): DistributionEngines =>
  new Map(
    settings.map(setting => {
      const { host, name } = setting
      return [name, { name, host, cluster: new ClusterClient(setting, { tokens, clock }) }]
    }),
  )

interface ClientParts {
  readonly tokens: Pick<RegistryTokens, 'access'>
  readonly clock: Pick<Clock, 'now'>
}

/** The calls to a registry that serves OCI distribution and trusts the tokens of the platform. */
class ClusterClient implements Cluster {
  readonly #setting: EngineSetting
  readonly #parts: ClientParts

  constructor(setting: EngineSetting, parts: ClientParts) {
    this.#setting = setting
    this.#parts = parts
  }

  async tags(repository: string): Promise<readonly string[]> {
    const answer = await this.#call(repository, 'pull', 'tags/list')
    if (answer.status === 404) return []
    const { tags } = recordIn(await this.#bytes(answer, maxTagsBytes))
    return Array.isArray(tags) ? tags.map(String).filter(isTag) : []
  }

  async manifest(repository: string, reference: string): Promise<ClusterManifest | undefined> {
    const accept = Object.values(manifestTypes).join(', ')
    const answer = await this.#call(repository, 'pull', `manifests/${reference}`, { headers: { accept } })
    if (answer.status === 404) return undefined
    const { manifests } = recordIn(await this.#bytes(answer, maxManifestBytes))
    const named = Array.isArray(manifests) ? manifests.filter(isRecord).map(({ digest }) => String(digest)) : []
    const digest = answer.headers.get(digestHeader) ?? ''
    if (!isDigest(digest)) throw this.#unavailable(`answers a manifest without the header ${digestHeader}`)
    return { digest, children: named.filter(isDigest) }
  }

  async deleteManifest(repository: string, digest: string): Promise<boolean> {
    const answer = await this.#call(repository, 'delete', `manifests/${digest}`, { method: 'DELETE' })
    await answer.body?.cancel()
    return answer.status !== 405
  }

  /** Calls a path of a repository, and returns an answer that is a success, 404 or 405. Throws ENGINE_UNAVAILABLE. */
  async #call(
    repository: string,
    action: TokenAction,
    path: string,
    given: Omit<OutgoingRequest, 'signal'> = {},
  ): Promise<Response> {
    const { clock, tokens } = this.#parts
    const { host, url } = this.#setting
    const access = [{ type: 'repository', name: repository, actions: [action] }]
    const token = await tokens.access(systemPrincipalId, access, clock.now(), host)
    const headers = new Headers(given.headers)
    headers.set('authorization', `Bearer ${token}`)
    const signal = AbortSignal.timeout(patienceMs)
    const address = `${url.replace(/\/+$/, '')}/v2/${repository}/${path}`
    const answer = await sendRequest(address, { ...given, headers, signal }).catch(() => undefined)
    if (answer === undefined) throw this.#unavailable('does not answer')
    if (answer.ok || answer.status === 404 || answer.status === 405) return answer
    await answer.body?.cancel()
    const isRefusal = answer.status === 401 || answer.status === 403
    throw this.#unavailable(
      isRefusal
        ? `refuses the tokens of the platform; its service must be ${host}, and its root the certificate of the platform`
        : `answers with status ${answer.status}`,
    )
  }

  /** Returns the body of an answer. Throws ENGINE_UNAVAILABLE for a longer body. */
  async #bytes(answer: Response, maxBytes: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let size = 0
    try {
      for await (const chunk of answer.body ?? []) {
        size += chunk.length
        if (size > maxBytes) break
        chunks.push(chunk)
      }
    } catch {
      throw this.#unavailable('ended an answer early')
    }
    if (size > maxBytes) throw this.#unavailable(`answers with more than ${maxBytes} bytes`)
    return Buffer.concat(chunks)
  }

  #unavailable(fault: string) {
    return engineUnavailable(`the cluster of engine ${this.#setting.name} ${fault}`, { retryAfterSeconds: 5 })
  }
}

/** Returns the object in the JSON text of an answer; an object without members for another text. */
function recordIn(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
