import { parseJson } from '../../../../runtime/json.ts'
import { isRecord } from '../../../../runtime/validation.ts'
import { MalformedResult } from '../metrics/result-values.ts'
import type { MemberClient } from '../member-client.ts'
import { Config } from './config.ts'

/** The longest time of a request, in milliseconds. */
const timeoutMs = 10_000

/** The longest text that is read, in bytes; whole configurations of members have some 100 KiB. */
const maxBytes = 2 * 2 ** 20

/** The deepest nesting of JSON. */
const maxDepth = 64

/** Reads the pages on which a member tells its settings, which a member need not have. */
export class MemberTexts {
  readonly #client: MemberClient
  readonly #workspace: string
  readonly #caller: AbortSignal

  constructor(client: MemberClient, workspace: string, caller: AbortSignal) {
    this.#client = client
    this.#workspace = workspace
    this.#caller = caller
  }

  /**
   * Returns the text at a path; undefined if the member does not have the path, or refuses it. Throws ENGINE_UNAVAILABLE
   * as `MemberClient.send`, and for text above 2 MiB.
   */
  async at(path: string): Promise<string | undefined> {
    const { body, status } = await this.#client.send({
      path,
      workspace: this.#workspace,
      timeoutMs,
      signal: this.#caller,
      isOptional: true,
    })
    if (status === 503) throw this.#client.unavailable('answers with status 503')
    if (status !== 200) return undefined
    if (body.length > maxBytes) throw this.#client.unavailable('answers with settings above 2 MiB')
    return new TextDecoder().decode(body)
  }

  /** Returns the configuration at a path, as `at` does; an empty configuration without text. */
  async configAt(path: string): Promise<Config> {
    return new Config((await this.at(path)) ?? '')
  }

  /** Returns the object of JSON at a path, as `at` does; undefined for other text too. */
  async objectAt(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const text = await this.at(path)
    if (text === undefined) return undefined
    try {
      const value = parseJson(text, maxDepth)
      return isRecord(value) ? value : undefined
    } catch {
      return undefined
    }
  }
}

/** Runs `read`; throws ENGINE_UNAVAILABLE for a retention that is not of the form of the API. */
export async function readRetention<T>(client: MemberClient, api: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof MalformedResult)) throw error
    throw client.unavailable(`answers with a retention that is not of the API of ${api}`)
  }
}
