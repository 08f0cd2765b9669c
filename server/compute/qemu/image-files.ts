import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BootImage } from '../../../domain/compute/drivers/driver.ts'
import { bootSector } from './boot-sector.ts'
import { diskFacts, type BaseImage } from './disks.ts'
import { partial } from './vm-folder.ts'
import { sendRequest } from '../../outgoing-request.ts'

/** An image cannot be used. `message` is for the owner of the machine and names nothing of the host. */
export class ImageFault extends Error {
  override readonly name = 'ImageFault'
}

/** The name of the folder of base images beside the folders of machines. */
export const imagesFolder = 'images'

/** How often an address may lead to another one. */
const maxRedirects = 5

/** The limits of a download. */
export interface DownloadLimits {
  readonly timeoutMs: number
  readonly maxBytes: number
}

const defaultLimits: DownloadLimits = { timeoutMs: 10 * 60_000, maxBytes: 64 * 2 ** 30 }

/**
 * The files of base images on this host. Disks of machines refer to these files, so the server never changes or
 * deletes a file. An image with an address is stored under its digest.
 */
export class ImageFiles {
  readonly #folder: string
  readonly #limits: DownloadLimits
  readonly #downloads = new Map<string, Promise<void>>()

  /** `parent` is the folder of all machines. */
  constructor(parent: string, limits: DownloadLimits = defaultLimits) {
    this.#folder = join(parent, imagesFolder)
    this.#limits = limits
  }

  /**
   * Returns the first content of a boot disk; undefined for the empty disk of `blank`. Fetches an image with an address
   * once. Throws ImageFault.
   */
  async baseOf(image: BootImage | undefined): Promise<BaseImage | undefined> {
    if (!image) throw new ImageFault('the image of the boot disk is not in the catalogue')
    const { file, name, sha256, url } = image
    if (file !== undefined) return described(name, resolve(file), resolve(file))
    if (url !== undefined && sha256 !== undefined) return this.#fetched({ name, url, sha256 })
    if (name === 'blank') return undefined
    if (name === 'tiny') return this.tiny()
    throw new ImageFault(`image ${name} has no file and no url on this server; compute.images_file must name one`)
  }

  /** Returns the image `tiny`, which is written once. */
  tiny(): BaseImage {
    this.#make()
    const name = 'tiny.raw'
    const content = bootSector()
    if (!existsSync(join(this.#folder, name))) this.#write(name, content)
    return { path: join('..', imagesFolder, name), format: 'raw', virtualBytes: content.length }
  }

  /** Deletes the files of interrupted downloads. Must not be called during a download. */
  clean(): void {
    if (!existsSync(this.#folder)) return
    for (const name of readdirSync(this.#folder))
      if (name.endsWith(partial)) rmSync(join(this.#folder, name), { force: true })
  }

  #make(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
  }

  #write(name: string, content: Buffer): void {
    const unfinished = join(this.#folder, `${name}.${randomUUID()}${partial}`)
    writeFileSync(unfinished, content, { mode: 0o600 })
    renameSync(unfinished, join(this.#folder, name))
  }

  async #fetched(image: Fetched): Promise<BaseImage> {
    const name = `${image.sha256}.img`
    const path = join(this.#folder, name)
    if (!existsSync(path)) {
      // Machines that need the same image share one download.
      const running =
        this.#downloads.get(name) ?? this.#download(image, path).finally(() => this.#downloads.delete(name))
      this.#downloads.set(name, running)
      await running
    }
    return described(image.name, path, join('..', imagesFolder, name))
  }

  async #download({ name, sha256, url }: Fetched, path: string): Promise<void> {
    this.#make()
    const unfinished = `${path}.${randomUUID()}${partial}`
    try {
      const { body, ok, status } = await answerAt(url, AbortSignal.timeout(this.#limits.timeoutMs))
      if (!ok || body === null) throw new ImageFault(`image ${name} could not be fetched: status ${status}`)
      const digest = await this.#store(name, body, unfinished)
      if (digest !== sha256)
        throw new ImageFault(`image ${name} has the digest ${digest}, not the one of the catalogue`)
      renameSync(unfinished, path)
    } catch (error) {
      if (error instanceof ImageFault) throw error
      throw new ImageFault(`image ${name} could not be fetched`, { cause: error })
    } finally {
      rmSync(unfinished, { force: true })
    }
  }

  /** Writes a body to a file; returns the digest of the content. */
  async #store(name: string, body: ReadableStream<Uint8Array>, file: string): Promise<string> {
    const hash = createHash('sha256')
    const { maxBytes } = this.#limits
    let length = 0
    // An open file is there to be deleted; a stream that opens its file itself may make it after a failure.
    const handle = await open(file, 'wx', 0o600)
    await pipeline(
      body,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          length += chunk.byteLength
          if (length > maxBytes) throw new ImageFault(`image ${name} is larger than ${maxBytes} bytes`)
          hash.update(chunk)
          yield chunk
        }
      },
      handle.createWriteStream(),
    )
    return hash.digest('hex')
  }
}

/** Returns the answer to which an address leads. Throws if it leads on too often, or out of HTTP. */
async function answerAt(url: string, signal: AbortSignal): Promise<Response> {
  let address = new URL(url)
  for (let redirects = 0; ; redirects += 1) {
    const answer = await sendRequest(address, { signal })
    const next = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null
    if (next === null) return answer
    await answer.body?.cancel()
    address = new URL(next, address)
    if (redirects === maxRedirects || !/^https?:$/.test(address.protocol))
      throw new Error(`the address leads on to ${address.protocol}`)
  }
}

interface Fetched {
  readonly name: string
  readonly url: string
  readonly sha256: string
}

/**
 * Returns the image in the file `path` with the format of its header. `from` is the path of the same file for the disks
 * of machines. Throws ImageFault.
 */
export function described(name: string, path: string, from: string): BaseImage {
  if (!existsSync(path)) throw new ImageFault(`the file of image ${name} does not exist on this server`)
  const { bytes, qcow2 } = factsOf(name, path)
  if (bytes === 0) throw new ImageFault(`the file of image ${name} is empty`)
  if (qcow2 === undefined) return { path: from, format: 'raw', virtualBytes: bytes }
  const { hasOtherFiles, isEncrypted, isTruncated, virtualBytes } = qcow2
  if (hasOtherFiles) throw new ImageFault(`image ${name} needs other files; flatten it with qemu-img convert`)
  if (isEncrypted) throw new ImageFault(`image ${name} is encrypted; decrypt it with qemu-img convert`)
  if (isTruncated) throw new ImageFault(`the file of image ${name} is truncated`)
  return { path: from, format: 'qcow2', virtualBytes }
}

function factsOf(name: string, path: string): ReturnType<typeof diskFacts> {
  try {
    return diskFacts(path)
  } catch (error) {
    throw new ImageFault(`the file of image ${name} cannot be read`, { cause: error })
  }
}
