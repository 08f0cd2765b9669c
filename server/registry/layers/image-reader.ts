import { inventoryOf, type ReadSource, type Unread } from '../../../domain/registry/scanning/inventory-of.ts'
import { LayerFault, type Inventory } from '../../../domain/registry/scanning/inventory.ts'
import { readOsRelease, type OperatingSystem } from '../../../domain/registry/scanning/sources/os-release.ts'
import {
  fixedPaths,
  longestSource,
  sourceKind,
  textReaders,
  type SourceKind,
} from '../../../domain/registry/scanning/sources/source-files.ts'
import { readProgram } from '../../../domain/registry/scanning/sources/program.ts'
import { checkCount } from '../../../domain/registry/scanning/sources/source-package.ts'
import { unreadSource } from '../../../domain/registry/scanning/sources/unread-sources.ts'
import type { LayerLimits } from './limits.ts'
import { readJar } from './sources/jar.ts'
import { Program } from './sources/program.ts'
import { WholeFile } from './sources/whole-file.ts'
import { TarReader, type ContentSink } from './tar/tar-reader.ts'
import { shown } from './tree/entry-path.ts'
import { ImageTree } from './tree/image-tree.ts'
import type { ContentKind, FileReading, TreeFile } from './tree/nodes.ts'
import { unpacked } from './unpacked.ts'

/** A layer, as the thread sees it. */
export interface ThreadLayer {
  readonly digest: string
  readonly media_type: string
  /** Opens the packed bytes. */
  readonly open: () => AsyncIterable<Buffer>
}

/** The media types of layers of OCI and Docker; the bytes tell the compression. */
const layerType =
  /^application\/vnd\.(?:oci\.image\.layer(?:\.nondistributable)?\.v1\.tar|docker\.image\.rootfs(?:\.foreign)?\.diff\.tar)(?:[.+](?:gzip|zstd))?$/

/** A file whose content was collected, and its reading. */
interface Collected {
  readonly file: TreeFile
  readonly read: () => Promise<FileReading>
}

/** A file whose content is wanted in a second reading of its layer. */
interface Wanted {
  readonly file: TreeFile
  readonly kind: ContentKind
}

/** Returns what the file at a path is; undefined if it names no packages. Programs of Windows need no mode. */
const kindOf = (path: string, { isExecutable }: TreeFile): ContentKind | undefined =>
  sourceKind(path) ?? (isExecutable || /\.exe$/i.test(path) ? 'program' : undefined)

/** Returns whether the content of a file is read. Programs of any size are. */
const isReadable = ({ isSparse, size }: TreeFile, kind: ContentKind): boolean =>
  !isSparse && size > 0 && (kind === 'program' || size <= longestSource(kind))

/** Finds out what is installed in one image. */
export class ImageReader {
  readonly #layers: readonly ThreadLayer[]
  readonly #limits: LayerLimits
  readonly #tree: ImageTree
  readonly #unread: Unread[] = []
  #unpackedBytes = 0
  /** The packages that were read, also those of files that higher layers hide. */
  #readPackages = 0
  #collected: Collected[] = []

  /** The layers are given in the order of the manifest, the lowest first. */
  constructor(layers: readonly ThreadLayer[], limits: LayerLimits) {
    this.#layers = layers
    this.#limits = limits
    this.#tree = new ImageTree(limits.entries)
  }

  /** Reads the layers. Throws a `LayerFault`. */
  async read(): Promise<Inventory> {
    for (const [i, layer] of this.#layers.entries()) await this.#readLayer(layer, i)
    await this.#readAgain()
    const os = this.#osAt('etc/os-release') ?? this.#osAt('usr/lib/os-release')
    return inventoryOf(os, this.#sources(), this.#unread)
  }

  async #readLayer(layer: ThreadLayer, index: number): Promise<void> {
    if (!layerType.test(layer.media_type)) {
      this.#unread.push({ what: `layer of the type ${layer.media_type.slice(0, 128)}`, path: layer.digest })
      return
    }
    let number = 0
    await this.#unpack(layer, entry => {
      const added = this.#tree.add(entry, index, number++)
      if (added === undefined) return undefined
      return this.#sinkOf(added.file, kindOf(added.path, added.file))
    })
  }

  /**
   * Reads files again of which the first reading did not know that they count: those to which a link leads from a path
   * where they do.
   */
  async #readAgain(): Promise<void> {
    const wanted = Map.groupBy(this.#unreadFiles(), ({ file }) => file.layer)
    for (const [index, files] of wanted) {
      const layer = this.#layers[index]
      if (layer === undefined) continue
      const kinds = new Map(files.map(({ file, kind }) => [file.entry, { file, kind }]))
      let number = 0
      await this.#unpack(layer, () => {
        const found = kinds.get(number++)
        return found && this.#sinkOf(found.file, found.kind)
      })
    }
  }

  *#unreadFiles(): Generator<Wanted> {
    for (const [path, kind] of Object.entries(fixedPaths)) {
      const file = this.#tree.find(path)?.file
      if (file !== undefined && this.#isMissing(file, kind)) yield { file, kind }
    }
    for (const { path, node } of this.#tree.each()) {
      if (node.kind !== 'name') continue
      const kind = sourceKind(path)
      if (kind !== undefined && this.#isMissing(node.file, kind)) yield { file: node.file, kind }
    }
  }

  #isMissing(file: TreeFile, kind: ContentKind): boolean {
    return file.reading?.kind !== kind && isReadable(file, kind)
  }

  async #unpack(
    layer: ThreadLayer,
    take: (entry: Parameters<ImageTree['add']>[0]) => ContentSink | undefined,
  ): Promise<void> {
    const tar = new TarReader(take)
    for await (const bytes of unpacked(layer.open())) {
      this.#count(bytes.length)
      // Bytes after the end of the archive are unpacked too, as container engines do: they tell whether the layer is whole.
      if (!tar.isEnded) tar.push(bytes)
      await this.#readCollected()
    }
    tar.end()
  }

  #count(bytes: number): void {
    this.#unpackedBytes += bytes
    if (this.#unpackedBytes > this.#limits.unpackedBytes)
      throw new LayerFault('limit', `the layers unpack to more than ${this.#limits.unpackedBytes / 1024 ** 2} MiB`)
  }

  /** Returns where the content of a file goes; undefined if it is not read. */
  #sinkOf(file: TreeFile, kind: ContentKind | undefined): ContentSink | undefined {
    if (kind === undefined || !isReadable(file, kind)) return undefined
    const collect = (read: () => Promise<FileReading>): void => void this.#collected.push({ file, read })
    if (kind !== 'program') return new WholeFile(file.size, bytes => collect(() => this.#readingOf(bytes, kind)))
    return new Program(parts => collect(async () => ({ kind, sources: [{ part: '', reading: readProgram(parts) }] })))
  }

  async #readCollected(): Promise<void> {
    for (const { file, read } of this.#collected.splice(0)) {
      // Texts that are cut from another text hold all of it in memory, but their copies do not.
      file.reading = structuredClone(await read())
      if (file.reading.kind === 'os-release') continue
      for (const { reading } of file.reading.sources) this.#readPackages += reading.packages.length
      checkCount(this.#readPackages)
    }
  }

  async #readingOf(bytes: Buffer, kind: SourceKind): Promise<FileReading> {
    if (kind === 'jar') return { kind, sources: await readJar(bytes, size => this.#count(size)) }
    const text = bytes.toString('utf8')
    if (kind === 'os-release') return { kind, os: readOsRelease(text) }
    return { kind, sources: [{ part: '', reading: textReaders[kind](text) }] }
  }

  #osAt(path: string): OperatingSystem | undefined {
    const reading = this.#tree.find(path)?.file.reading
    return reading?.kind === 'os-release' ? reading.os : undefined
  }

  /** Returns the sources of the image with their places, and notes what could not be read. */
  #sources(): readonly ReadSource[] {
    const found: ReadSource[] = []
    for (const { path: bytes, node } of this.#tree.each()) {
      const path = shown(bytes)
      const unread = unreadSource(path)
      if (unread !== undefined) this.#unread.push({ what: unread, path })
      if (node.kind === 'name') found.push(...this.#sourcesOf(node.file, kindOf(bytes, node.file), path))
    }
    for (const [path, kind] of Object.entries(fixedPaths)) {
      const linked = this.#tree.find(path)
      // A file that counts at its own path was found above.
      if (linked !== undefined && kindOf(linked.path, linked.file) !== kind)
        found.push(...this.#sourcesOf(linked.file, kind, path))
    }
    return found
  }

  #sourcesOf(file: TreeFile, kind: ContentKind | undefined, path: string): readonly ReadSource[] {
    if (kind === undefined) return []
    const { reading, size } = file
    if (size > 0 && !isReadable(file, kind))
      this.#unread.push({ what: `${kind} file that is sparse or too large`, path })
    if (reading?.kind !== kind || reading.kind === 'os-release') return []
    return reading.sources.map(source => this.#placed(file, source.part, source.reading, path))
  }

  #placed(file: TreeFile, part: string, reading: ReadSource['reading'], path: string): ReadSource {
    const digest = this.#layers[file.layer]?.digest ?? ''
    return { reading, path: part === '' ? path : `${path}!/${part}`, layer_digest: digest }
  }
}
