import { essence } from '../../../runtime/media.ts'
import { parseJson } from '../../../runtime/json.ts'
import { isRecord } from '../../../runtime/validation.ts'
import { isDigest } from '../values/digest.ts'
import type { Descriptor, Manifest, ManifestKind, Platform } from './manifest.ts'
import { isImageConfig, isIndexType, isManifestType, type ManifestType } from './media-types.ts'
import { artifactSize } from './references.ts'

/** The largest manifest in bytes: 4 MiB (registry.md 3). */
export const maxManifestBytes = 4 * 2 ** 20

/** The largest number of layers of a manifest, and of manifests that an index lists. */
const maxDescriptors = 10_000

/** The deepest nesting of a manifest: deeper custom members are refused. */
const maxDepth = 100

/** The longest media type in characters: two names of 127 characters and a slash (RFC 6838, 4.2). */
const maxTypeLength = 255

/** The longest member of a platform in characters. */
const maxPlatformLength = 255

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The form of a manifest is not valid; the message says where. */
export class ManifestFault extends Error {
  override readonly name = 'ManifestFault'
}

/** A manifest with its text, which encodes the bytes that were sent. */
export interface ParsedManifest {
  readonly manifest: Manifest
  readonly text: string
}

/**
 * Parses the bytes of a manifest of the media type `contentType`; without it, the manifest must name its own. Unknown
 * members are kept as they are. Throws `ManifestFault`.
 */
export function parseManifest(bytes: Uint8Array, contentType: string | undefined): ParsedManifest {
  const text = decoded(bytes)
  const document = documentOf(text)
  const mediaType = typeOf(document, contentType)
  if (document.schemaVersion !== 2) throw new ManifestFault('schemaVersion must be 2')
  const isIndex = isIndexType(mediaType)
  // Clients that disagree about the kind of one document would see different contents under one digest.
  for (const name of isIndex ? ['config', 'layers', 'fsLayers'] : ['manifests', 'fsLayers'])
    if (document[name] !== undefined) throw new ManifestFault(`${name} must be absent from ${mediaType}`)
  const config = isIndex ? undefined : descriptor(document.config, 'config')
  const subject = document.subject === undefined ? undefined : descriptor(document.subject, 'subject')
  const manifest: Manifest = {
    mediaType,
    kind: kindOf(isIndex, config),
    artifactType: artifactTypeOf(document.artifactType),
    ...(config && { config }),
    layers: isIndex ? [] : descriptors(document.layers, 'layers'),
    children: isIndex ? descriptors(document.manifests, 'manifests') : [],
    ...(subject && { subject }),
    annotations: annotationsOf(document.annotations),
  }
  if (!Number.isSafeInteger(artifactSize(manifest, bytes.length)))
    throw new ManifestFault('the sizes of config and layers must make a number of bytes')
  return { manifest, text }
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ManifestFault('the manifest must be UTF-8')
  }
}

function documentOf(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text, maxDepth)
    if (isRecord(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ManifestFault(`the manifest ${error.message}`)
  }
  throw new ManifestFault('the manifest must be a JSON object')
}

/** Returns the media type, which the request and the document must say alike. */
function typeOf(document: Record<string, unknown>, contentType: string | undefined): ManifestType {
  const said = optionalText(document.mediaType, 'mediaType')
  const sent = essence(contentType ?? '')
  const type = sent === '' ? said : sent
  if (!isManifestType(type))
    throw new ManifestFault('the media type is none of the OCI and Docker (schema 2) manifests')
  if (said !== '' && said !== type) throw new ManifestFault('mediaType must equal the content type of the request')
  return type
}

function kindOf(isIndex: boolean, config: Descriptor | undefined): ManifestKind {
  if (isIndex) return 'INDEX'
  return config && isImageConfig(config.media_type) ? 'IMAGE' : 'ARTIFACT'
}

function descriptors(value: unknown, field: string): readonly Descriptor[] {
  // Some clients write `null` for an empty list.
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new ManifestFault(`${field} must be a list`)
  if (value.length > maxDescriptors) throw new ManifestFault(`${field} must have at most ${maxDescriptors} members`)
  return value.map((item: unknown, index) => descriptor(item, `${field}[${index}]`))
}

function descriptor(value: unknown, field: string): Descriptor {
  if (!isRecord(value)) throw new ManifestFault(`${field} must be a descriptor`)
  const { data, digest, mediaType, platform, size } = value
  if (typeof mediaType !== 'string' || !isTypeName(mediaType))
    throw new ManifestFault(`${field}.mediaType must be a media type`)
  if (typeof digest !== 'string' || !isDigest(digest)) throw new ManifestFault(`${field}.digest must be a digest`)
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    throw new ManifestFault(`${field}.size must be a number of bytes`)
  if (data !== undefined && !isDataOf(data, size))
    throw new ManifestFault(`${field}.data must be the ${size} bytes of the content in Base64`)
  return {
    media_type: mediaType,
    digest,
    size,
    ...(isRecord(platform) && { platform: platformOf(platform) }),
  }
}

/** Returns the type of an artifact; empty without one. */
function artifactTypeOf(value: unknown): string {
  const text = optionalText(value, 'artifactType')
  if (text !== '' && !isTypeName(text)) throw new ManifestFault('artifactType must be a media type')
  return text
}

/** Whether a text can be stored and listed as a media type: artifacts in use have types beyond RFC 6838, 4.2. */
const isTypeName = (text: string): boolean =>
  text !== '' && text.length <= maxTypeLength && text.isWellFormed() && !/\p{Cc}/u.test(text)

function isDataOf(data: unknown, size: number): boolean {
  return typeof data === 'string' && Buffer.from(data, 'base64').length === size
}

/** Returns a platform; members that are no text or too long count as absent, because every list of artifacts has them. */
export function platformOf(value: Record<string, unknown>): Platform {
  const text = (name: string): string => {
    const { [name]: member } = value
    return typeof member === 'string' && member.length <= maxPlatformLength ? member : ''
  }
  return {
    os: text('os'),
    architecture: text('architecture'),
    variant: text('variant'),
    os_version: text('os.version'),
  }
}

function optionalText(value: unknown, field: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw new ManifestFault(`${field} must be a text`)
  return value
}

function annotationsOf(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {}
  if (!isRecord(value)) throw new ManifestFault('annotations must be a map')
  const entries = Object.entries(value)
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string'
  if (!entries.every(isText)) throw new ManifestFault('annotations must be texts')
  return Object.fromEntries(entries)
}
