import { LayerFault } from '../../../../domain/registry/scanning/inventory.ts'
import type { TarEntry } from '../tar/tar-reader.ts'
import { entryPath, longestPath, shown } from './entry-path.ts'
import { newFolder, type TreeFile, type TreeFolder, type TreeNode } from './nodes.ts'

/** The most symbolic links on the way to one file, as in Linux. */
const mostLinks = 40
/** The most names that all look-ups of an image pass; an image with the most entries needs a fifth. */
const mostSteps = 50_000_000

const whiteout = '.wh.'
const opaqueWhiteout = '.wh..wh..opq'
/** Such entries are data of the file system AUFS, except for the opaque whiteout. */
const aufsData = '.wh..wh.'

/** A folder, and the real path to it. */
interface Place {
  readonly folder: TreeFolder
  readonly path: string
}

/** What is at the end of a path, and its real path. */
interface Found {
  readonly node: TreeNode
  readonly path: string
}

interface WalkOptions {
  /** The layer in which missing folders are made, also in place of a file; none are made without it. */
  readonly makeIn?: number | undefined
  /** Whether a symbolic link at the end of the path is not followed. */
  readonly keepsLastLink?: boolean
}

/** A file that an entry adds, and the real path of its name: without symbolic links. */
export interface AddedFile {
  readonly file: TreeFile
  readonly path: string
}

/**
 * The files of an image, as its layers make them one after the other, the lowest first. Each entry is applied as container
 * engines unpack it: names lead through symbolic links inside of the root, later entries replace earlier ones, and whiteouts
 * hide what lower layers have (OCI image specification, `layer.md`).
 */
export class ImageTree {
  readonly root = newFolder(0)
  readonly #mostNodes: number
  #nodes = 0
  #steps = 0

  /** `mostNodes` is the most entries of all layers, with the folders that are only named by the paths of entries. */
  constructor(mostNodes: number) {
    this.#mostNodes = mostNodes
  }

  /** Applies the entry with a number in a layer. Returns the file that it adds. Throws a `LayerFault`. */
  add(entry: TarEntry, layer: number, number: number): AddedFile | undefined {
    this.#count()
    const names = entryPath(entry.name)
    const name = names.pop()
    if (name === undefined) return undefined
    if (name.startsWith(whiteout)) {
      this.#hide(names, name, layer)
      return undefined
    }
    const place = this.#folderOf(names, layer)
    const path = place.path === '' ? name : `${place.path}/${name}`
    if (entry.kind === 'folder') {
      this.#addFolder(place.folder, name, layer)
      return undefined
    }
    const node = this.#nodeOf(entry, layer, number)
    if (node === undefined) return undefined
    place.folder.children.set(name, node)
    return node.kind === 'name' && entry.kind === 'file' ? { file: node.file, path } : undefined
  }

  /** Returns the file at a path; undefined if there is none, or its links lead nowhere. */
  find(path: string): AddedFile | undefined {
    const found = this.#walk(path.split('/'))
    return found?.node.kind === 'name' ? { file: found.node.file, path: found.path } : undefined
  }

  /** Yields the files and folders of the image, with their real paths. */
  *each(): Generator<{ readonly path: string; readonly node: TreeNode }> {
    const open: Place[] = [{ folder: this.root, path: '' }]
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      for (const [name, node] of place.folder.children) {
        const path = place.path === '' ? name : `${place.path}/${name}`
        yield { path, node }
        if (node.kind === 'folder') open.push({ folder: node, path })
      }
    }
  }

  #addFolder(parent: TreeFolder, name: string, layer: number): void {
    const present = parent.children.get(name)
    if (present?.kind === 'folder') present.layer = layer
    else parent.children.set(name, newFolder(layer))
  }

  #nodeOf(entry: TarEntry, layer: number, number: number): TreeNode | undefined {
    const { kind, link, mode, size, isSparse } = entry
    if (link.length > longestPath) throw new LayerFault('unreadable', `a link has more than ${longestPath} bytes`)
    if (kind === 'symbolic link') return { kind: 'link', layer, target: link }
    if (kind === 'other') return { kind: 'other', layer }
    if (kind === 'file') {
      const isExecutable = (mode & 0o111) !== 0
      return { kind: 'name', layer, file: { layer, entry: number, size, isExecutable, isSparse } }
    }
    const found = this.#walk(entryPath(link), { keepsLastLink: true })?.node
    // A hard link may also be one to a symbolic link or to a device.
    if (found === undefined || found.kind === 'folder')
      throw new LayerFault('unreadable', `a hard link leads to no file: ${shown(link).slice(0, 80)}`)
    return { ...found, layer }
  }

  /** Hides what lower layers have at the name of a whiteout; what the same layer has stays. */
  #hide(names: readonly string[], name: string, layer: number): void {
    const place = this.#walk(names)
    if (name === opaqueWhiteout) {
      if (place?.node.kind === 'folder') this.#hideContent(place.node, layer)
      return
    }
    if (name.startsWith(aufsData)) return
    const hidden = name.slice(whiteout.length)
    if (hidden === '' || hidden === '.' || hidden === '..')
      throw new LayerFault('unreadable', `a whiteout names no entry: ${shown(name)}`)
    if (place?.node.kind !== 'folder') return
    this.#hideNode(place.node, hidden, layer)
  }

  #hideNode(parent: TreeFolder, name: string, layer: number): void {
    const node = parent.children.get(name)
    if (node === undefined) return
    if (node.layer < layer) parent.children.delete(name)
    else if (node.kind === 'folder') this.#hideContent(node, layer)
  }

  #hideContent(folder: TreeFolder, layer: number): void {
    // What was hidden before in this layer is not searched again: else many whiteouts would take quadratic time.
    if (folder.hiddenIn === layer) return
    folder.hiddenIn = layer
    for (const name of folder.children.keys()) this.#hideNode(folder, name, layer)
  }

  /** Returns the folder at a path, and makes the folders that are missing. */
  #folderOf(names: readonly string[], layer: number): Place {
    const found = this.#walk(names, { makeIn: layer })
    if (found?.node.kind === 'folder') return { folder: found.node, path: found.path }
    throw new LayerFault('unreadable', `links lead nowhere: ${shown(names.join('/')).slice(0, 80)}`)
  }

  /**
   * Follows a path from the root, through symbolic links, which never lead out of the root. Returns undefined if there is
   * nothing, or if there are too many links.
   */
  #walk(names: readonly string[], { keepsLastLink, makeIn }: WalkOptions = {}): Found | undefined {
    const way: Place[] = []
    const left = names.toReversed()
    let at: Place = { folder: this.root, path: '' }
    let links = 0
    if (makeIn !== undefined) at.folder.layer = makeIn
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      if (++this.#steps > mostSteps)
        throw new LayerFault('limit', 'the paths and links of the layers take too many steps')
      if (name === '' || name === '.') continue
      if (name === '..') {
        at = way.pop() ?? at
        continue
      }
      const path = at.path === '' ? name : `${at.path}/${name}`
      const child = at.folder.children.get(name)
      if (child?.kind === 'link' && !(keepsLastLink === true && left.length === 0)) {
        if (++links > mostLinks) return undefined
        if (child.target.startsWith('/')) at = way.splice(0)[0] ?? at
        left.push(...child.target.split('/').toReversed())
        continue
      }
      if (child?.kind !== 'folder' && makeIn === undefined)
        return child === undefined || left.length > 0 ? undefined : { node: child, path }
      way.push(at)
      at = { folder: child?.kind === 'folder' ? child : this.#make(at.folder, name, makeIn ?? 0), path }
      if (path.length > longestPath)
        throw new LayerFault('unreadable', `links make a path of more than ${longestPath} bytes`)
      if (makeIn !== undefined) at.folder.layer = makeIn
    }
    return { node: at.folder, path: at.path }
  }

  #make(parent: TreeFolder, name: string, layer: number): TreeFolder {
    this.#count()
    const made = newFolder(layer)
    parent.children.set(name, made)
    return made
  }

  #count(): void {
    if (++this.#nodes > this.#mostNodes)
      throw new LayerFault('limit', `the layers have more than ${this.#mostNodes} entries`)
  }
}
