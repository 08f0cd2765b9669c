import type { Scanner } from '../../../output/registry/types.ts'
import {
  ScannerFault,
  type ExternalReport,
  type ExternalScanner,
  type ImageToScan,
} from '../../../domain/registry/scanning/external-scanner.ts'
import type { Secret } from '../../settings/secret.ts'
import { parseMetadata } from './harbor-report.ts'
import { readReport } from './read-report.ts'
import { sendRequest, type OutgoingRequest } from '../../outgoing-request.ts'

/** The type of reports, of requests and of their answers (Scanner Adapter API 1.2). */
const reportType = 'application/vnd.security.vulnerability.report; version=1.1'
const requestType = 'application/vnd.scanner.adapter.scan.request+json; version=1.1'

/** The time limit of a call, in milliseconds. */
const callMs = 30_000

/** The largest answers in bytes: of a report, and of all else. */
const maxReport = 16 * 2 ** 20
const maxAnswer = 2 ** 16

/** The time after which a report is asked for again, if the scanner does not say, in milliseconds. */
const defaultRefreshMs = 5000

/** An adapter of the settings. */
export interface AdapterSetting {
  readonly name: string
  readonly url: string
  readonly authorization?: Secret
}

/** The parts of an adapter. */
export interface AdapterParts {
  /** Returns the address of the registry for scanners. */
  readonly registryUrl: () => string
  /** Returns a token by which a scanner pulls the images of a repository. */
  readonly tokenFor: (repository: string) => Promise<string>
}

/** A scanner behind an adapter that speaks Harbor's Scanner Adapter API 1.2. */
export class HarborScanner implements ExternalScanner {
  readonly #setting: AdapterSetting
  readonly #parts: AdapterParts

  constructor(setting: AdapterSetting, parts: AdapterParts) {
    this.#setting = setting
    this.#parts = parts
  }

  async start({ digest, media_type, name }: ImageToScan, signal: AbortSignal): Promise<string> {
    const { registryUrl, tokenFor } = this.#parts
    const body = JSON.stringify({
      registry: { url: registryUrl(), authorization: `Bearer ${await tokenFor(name)}` },
      artifact: { repository: name, digest, mime_type: media_type },
      enabled_capabilities: [{ type: 'vulnerability', produces_mime_types: [reportType] }],
    })
    const answer = await this.#call('scan', signal, {
      method: 'POST',
      headers: {
        'content-type': requestType,
        accept: 'application/vnd.scanner.adapter.scan.response+json; version=1.0',
      },
      body,
    })
    if (answer.status !== 202) throw new ScannerFault(`the scanner refused the scan with the status ${answer.status}`)
    const id = idIn(await textOf(answer, maxAnswer))
    if (id === undefined) throw new ScannerFault('the scanner accepted the scan without an id')
    return id
  }

  async report(request: string, _image: ImageToScan, signal: AbortSignal): Promise<ExternalReport> {
    const path = `scan/${encodeURIComponent(request)}/report`
    const answer = await this.#call(path, signal, { headers: { accept: reportType } })
    if (answer.status === 302) {
      await answer.body?.cancel()
      return { kind: 'pending', afterMs: refreshOf(answer.headers.get('refresh-after')) }
    }
    if (answer.status !== 200)
      throw new ScannerFault(`the scanner answered the status ${answer.status} instead of a report`)
    const { findings, version } = await readReport(await bytesOf(answer, maxReport), signal)
    const scanner = await this.#scanner(signal)
    return { kind: 'report', scanner: version === '' ? scanner : { ...scanner, version }, findings }
  }

  /** Returns what the adapter says about its scanner and its database. */
  async #scanner(signal: AbortSignal): Promise<Scanner> {
    const answer = await this.#call('metadata', signal, {
      headers: { accept: 'application/vnd.scanner.adapter.metadata+json; version=1.1' },
    })
    if (answer.status !== 200) throw new ScannerFault(`the scanner answered the status ${answer.status} to metadata`)
    return parseMetadata(await textOf(answer, maxAnswer), this.#setting.name, reportType)
  }

  /** Calls the adapter, without following redirects, which could lead the authorization elsewhere. */
  async #call(
    path: string,
    signal: AbortSignal,
    { headers, ...init }: Omit<OutgoingRequest, 'signal'>,
  ): Promise<Response> {
    const { authorization, url } = this.#setting
    const sent = new Headers(headers)
    if (authorization) sent.set('authorization', authorization.reveal())
    const limit = AbortSignal.any([signal, AbortSignal.timeout(callMs)])
    try {
      const at = `${url.replace(/\/+$/, '')}/api/v1/${path}`
      return await sendRequest(at, { ...init, headers: sent, signal: limit })
    } catch (error) {
      signal.throwIfAborted()
      throw new ScannerFault('the scanner cannot be reached, or did not answer in time', { cause: error })
    }
  }
}

/** Returns the bytes of an answer. Throws a `ScannerFault` for an answer that is too long or breaks off. */
async function bytesOf({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  // Memory is taken as the bytes arrive, and once for each of them.
  const buffer = new ArrayBuffer(0, { maxByteLength: maxBytes })
  try {
    for await (const chunk of body ?? []) {
      const { byteLength } = buffer
      if (byteLength + chunk.byteLength > maxBytes)
        throw new ScannerFault(`the answer of the scanner is longer than ${maxBytes} bytes`)
      buffer.resize(byteLength + chunk.byteLength)
      new Uint8Array(buffer).set(chunk, byteLength)
    }
  } catch (error) {
    if (error instanceof ScannerFault) throw error
    throw new ScannerFault('the answer of the scanner broke off', { cause: error })
  }
  return new Uint8Array(buffer.transferToFixedLength())
}

const textOf = async (answer: Response, maxBytes: number): Promise<string> =>
  new TextDecoder().decode(await bytesOf(answer, maxBytes))

/** Returns the id of a request; undefined if the answer has none that a path can name. */
function idIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const id: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'id') : undefined
    return typeof id === 'string' && /^[\w.:~-]{1,200}$/.test(id) && !/^\.+$/.test(id) ? id : undefined
  } catch {
    return undefined
  }
}

/** Returns the time of a header `Refresh-After`, which is in seconds, in milliseconds. */
function refreshOf(header: string | null): number {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : defaultRefreshMs
}
