import { ImageTree } from '../../../../../server/registry/layers/tree/image-tree.ts'
import { TarReader } from '../../../../../server/registry/layers/tar/tar-reader.ts'
import type { Random } from '../../../../areas/random.ts'
import { tarOf, type MadeEntry } from '../tar-maker.ts'

/** An image of random layers, and what the tree of the scanner has of it. */
export interface RandomImage {
  readonly layers: readonly Buffer[]
  /** A line for each file, `path content`, and for each link, `path -> target`, in order. */
  readonly tree: readonly string[]
}

const folders = ['a', 'b'] as const
const files = ['f', 'g'] as const
/** The name of the links, of which a layer may also make a folder. */
const link = 'l'
const targets = ['a', 'b', '../a', '/b', '../../b', 'b/a', '/a/b'] as const

/**
 * Returns an image of four layers with files, folders, links and whiteouts of few names, so that they meet often.
 */
export function randomImage(random: Random): RandomImage {
  const tree = new ImageTree(10_000)
  const contents: string[][] = []
  const layers: Buffer[] = []
  for (let layer = 0; layer < 4; layer++) {
    const entries = randomEntries(random, layer, tree)
    contents.push(entries.map(({ content = '' }) => String(content)))
    const archive = tarOf(...entries)
    layers.push(archive)
    applied(archive, layer, tree)
  }
  return { layers, tree: linesOf(tree, contents) }
}

function applied(archive: Buffer, layer: number, tree: ImageTree): void {
  let number = 0
  const reader = new TarReader(entry => {
    tree.add(entry, layer, number++)
    return undefined
  })
  reader.push(archive)
  reader.end()
}

function randomEntries(random: Random, layer: number, tree: ImageTree): readonly MadeEntry[] {
  const lower = [...tree.each()].flatMap(({ node, path }) => (node.kind === 'name' ? [path] : []))
  const parents = (): readonly string[] =>
    Array.from({ length: random.below(3) }, () => random.oneOf([...folders, ...folders, link]))
  const named = (name: string): string => [...parents(), name].join('/')
  return Array.from({ length: 8 }, (_, i): MadeEntry => {
    if (layer > 0 && random.percent(25)) {
      const isOpaque = random.percent(30)
      return { name: named(isOpaque ? '.wh..wh..opq' : `.wh.${random.oneOf([...folders, ...files, link])}`) }
    }
    if (random.percent(25)) return { name: named(random.oneOf(folders)), flag: '5', mode: 0o755 }
    if (random.percent(20)) return { name: named(link), flag: '2', link: random.oneOf(targets) }
    // The target of a hard link is there as long as no other entry of the layer changes it.
    if (i === 0 && lower.length > 0) return { name: named(random.oneOf(files)), flag: '1', link: random.oneOf(lower) }
    return { name: named(random.oneOf(files)), content: `${layer}-${i}` }
  })
}

function linesOf(tree: ImageTree, contents: readonly (readonly string[])[]): readonly string[] {
  const lines: string[] = []
  for (const { node, path } of tree.each()) {
    if (node.kind === 'link') lines.push(`${path} -> ${node.target}`)
    if (node.kind === 'name') lines.push(`${path} ${contents[node.file.layer]?.[node.file.entry] ?? ''}`)
  }
  return lines.sort()
}
