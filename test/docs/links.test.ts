import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/project.ts'

const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].map(path => path.replaceAll('\\', '/'))

/** Returns the text of a page without code blocks, and without brackets and `#` in spans of code. */
const prose = (path: string): string =>
  readFileSync(join(root, path), 'utf8')
    .replace(/^```.*?^```/gms, '')
    .replace(/`[^`\n]*`/g, span => span.replace(/[[\]()#]/g, ''))

/** Returns the anchors of a page: its headings in lower case without punctuation, and with hyphens for spaces. */
const anchorsOf = (path: string): ReadonlySet<string> =>
  new Set(
    [...prose(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

/** Returns the links of a page to files of the repository and to headings that do not exist. */
function brokenLinks(page: string): readonly string[] {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter(link => {
    if (URL.canParse(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : normalize(join(dirname(page), path)).replaceAll('\\', '/')
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && !anchorsOf(target).has(anchor)
  })
}

describe('the documentation', () => {
  it('has pages', () => expect(pages.length).toBeGreaterThan(20))

  it.each(pages)('links to files and headings that exist: %s', page => {
    expect(brokenLinks(page)).toEqual([])
  })
})
