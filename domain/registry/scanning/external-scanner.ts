import type { Scanner } from '../../../output/registry/types.ts'
import type { Finding } from './advisories.ts'

/** An image for a scanner outside of the platform, which pulls the image itself. */
export interface ImageToScan {
  /** The repository under `/v2/`: `acme/web/api`. */
  readonly name: string
  readonly digest: string
  readonly media_type: string
}

/** The progress of a scan, or its report. */
export type ExternalReport =
  | { readonly kind: 'pending'; readonly afterMs: number }
  | { readonly kind: 'report'; readonly scanner: Scanner; readonly findings: readonly Finding[] }

/** A scanner outside of the platform. All functions throw a `ScannerFault` if the scanner does not do as it should. */
export interface ExternalScanner {
  /** Asks for a scan with a token by which the scanner can pull the image. Returns the id of the request. */
  start(image: ImageToScan, signal: AbortSignal): Promise<string>
  /** Returns the report of a request, or the time after which to ask again. */
  report(request: string, image: ImageToScan, signal: AbortSignal): Promise<ExternalReport>
}

/** A fault of a scanner outside of the platform; the message says what went wrong, without secrets. */
export class ScannerFault extends Error {
  override readonly name = 'ScannerFault'
}
