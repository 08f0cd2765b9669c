import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from 'ts-morph'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GenerateOptions, type TemplateName, templateNames } from '../../generator/options.ts'
import {
  type Generation,
  generation,
  newFolder,
  removeFolder,
  repository,
  runtimeFrom,
  writeFiles,
} from './generation.ts'
import { builtIns, builtInText, documented, one, type Templates } from './templates.ts'
import { typeCheck } from './type-check.ts'

let folder: string
beforeAll(() => {
  folder = newFolder()
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
})
afterAll(() => removeFolder(folder))

/**
 * The documents of the runs. The first two runs have every kind of file; the others cover all media types and documents
 * without extensions.
 */
const runs = {
  taxonomy: { folder: 'specs', documents: ['taxonomy.yaml', 'common.yaml'], names: ['common=shared'] },
  inventory: { folder: 'test/golden/aip', documents: ['common.yaml', 'inventory.yaml'], names: ['common=shared'] },
  media: { folder: 'test/golden/media-types', documents: ['document.yaml'], names: [] },
  library: { folder: 'test/golden/rest', documents: ['library.yaml'], names: [] },
} as const

function generated(templates?: Templates, run: keyof typeof runs = 'taxonomy'): Promise<Generation> {
  const { documents, folder: from, names } = runs[run]
  const joined = documents.length > 1 && { client: 'Shop', permissionBits: [] }
  const options: GenerateOptions = {
    ...runtimeFrom(join(folder, 'output')),
    ...joined,
    ...(templates && { templates }),
  }
  return generation(documents, join(repository, from), options, names)
}

/** Returns the text of all files of a run that a template makes. */
function madeBy(name: TemplateName, { files }: Generation): string {
  const isOfRoot = name === 'joined-client' || name === 'permission-bits'
  const file = name === 'joined-client' ? 'client.ts' : `${name}.ts`
  return [...files]
    .filter(([path]) => (isOfRoot ? path === file : path.endsWith(`/${file}`)))
    .map(([, text]) => text)
    .join('')
}

const errorsOf = async (text: string): Promise<string> => madeBy('errors', await generated(one('errors', text)))

const messageOf = async (templates: Templates): Promise<string> =>
  generated(templates).then(
    () => 'nothing is wrong',
    (error: Error) => `${error.name}: ${error.message}`,
  )

test.each(['taxonomy', 'inventory', 'media', 'library'] as const)(
  'prettier formats the output of built-in templates for %s as the generator does',
  async run => {
    expect((await generated(builtIns, run)).files).toEqual((await generated(undefined, run)).files)
  },
)

/** A part of the output of each template, keyed by the name of the template. */
const shown: Readonly<Record<TemplateName, string>> = {
  area: 'export const taxonomyArea = {',
  client: 'export const TaxonomyClient = (transport: Transport) => ({',
  errors: 'export const codes = {',
  filters: 'export const sortable = {',
  'joined-client': 'taxonomy: new TaxonomyClient(transport),',
  'permission-bits': 'export const bitOf = {',
  permissions: 'export const taxonomyPermissionsKeys = [',
  routes: 'export const taxonomyRoutesTable = [',
}

describe('the overrides of docs/generator.md', () => {
  test('exist for each template', () => {
    expect([...documented.keys()].sort()).toEqual([...templateNames])
  })

  test.each(Object.entries(shown))('%s.hbs changes its own files alone, in output that compiles', async (key, text) => {
    const name = templateNames.find(each => each === key) ?? 'area'
    const override = documented.get(name)
    const plain = await generated()
    const changed = await generated(new Map(override && [[name, override]]))
    expect(madeBy(name, changed)).toContain(text)
    const others = templateNames.filter(each => each !== name)
    for (const other of others) expect(madeBy(other, changed)).toBe(madeBy(other, plain))
    const root = join(folder, name)
    // The joined client uses the classes that the override of `client` removes.
    const files = [...changed.files].filter(([path]) => name !== 'client' || path !== 'client.ts')
    writeFiles(root, new Map(files))
    const compilerOptions = { types: [] }
    const options = { extends: join(repository, 'tsconfig.json'), compilerOptions, include: ['**/*.ts'], exclude: [] }
    writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(options))
    expect(typeCheck(root)).toBe('')
  })
})

describe('an override', () => {
  test('has only the imports that it names, and its own', async () => {
    const text = "import { log } from './log.ts'\n\nexport const made: {{RpcCode}}[] = log()\n"
    const made = await errorsOf(text)
    expect(made.match(/^import .*$/gm)?.slice(0, 2)).toEqual([
      expect.stringContaining('import type { RpcCode } from '),
      "import { log } from './log.ts'",
    ])
  })

  test('is formatted by prettier, and needs no line end', async () => {
    const text = 'export   const\n\n\nlong = ["{{reasonType}}", 1  ];'
    expect(await errorsOf(text)).toContain("\n\nexport const long = ['TaxonomyReason', 1]\n")
  })

  test('may have the line ends of Windows', async () => {
    const windows = one('errors', builtInText('errors').replaceAll('\n', '\r\n'))
    expect((await generated(windows)).files).toEqual((await generated()).files)
  })

  test('may produce nothing', async () => {
    expect(await errorsOf('')).toMatch(/^(?:\/\/ Generated by .*\n)+$/)
  })

  test('may contain the built-in template, even within a block', async () => {
    const wrapped = one('errors', '{{#if title}}\n{{> errors}}\n{{/if}}\n')
    expect((await generated(wrapped)).files).toEqual((await generated()).files)
  })
})

describe('a fault of an override is reported with its line', () => {
  test.each([
    [
      'a block that does not end',
      'a\n{{#if title}}\n',
      'TemplateError: mine/errors.hbs:3: Handlebars says "Expecting ',
    ],
    ['a tag that does not end', '\n\n{{title', 'TemplateError: mine/errors.hbs:3: Handlebars says "Expecting '],
    ['blocks that end each other', '{{#if title}}\n{{/each}}', 'Handlebars says "if doesn\'t match each": mend'],
    ['an unknown helper', '\n{{loud title}}', 'mine/errors.hbs:2: Handlebars says "You specified knownHelpersOnly'],
    [
      'an unknown partial',
      '\n{{> error}}',
      'mine/errors.hbs:2: {{> ...}} stands for a built-in template: say one of area,',
    ],
    ['a partial that is looked up', '{{> (lookup . "x")}}', 'mine/errors.hbs:1: {{> ...}} stands for a built-in'],
    [
      'an unknown member',
      'a\n{{titel}}',
      "mine/errors.hbs:2: the template is given no 'titel' here: docs/generator.md",
    ],
    [
      'one within a block',
      '{{#each constructors}}\n{{title}}\n{{/each}}',
      "errors.hbs:2: the template is given no 'title'",
    ],
    [
      'one that a helper is given',
      '\n{{#if titel}}{{/if}}',
      'mine/errors.hbs:2: {{#if}} asks for what the template is not',
    ],
    ['one that makes a block', '\n{{#titel}}{{/titel}}', "mine/errors.hbs:2: the template is given no 'titel' here"],
    [
      'one that makes an inverse block',
      '{{^titel}}{{/titel}}',
      "mine/errors.hbs:1: the template is given no 'titel' here",
    ],
    [
      'one to go through',
      '{{#each reasons}}{{/each}}',
      'mine/errors.hbs:1: {{#each}} asks for what the template is not',
    ],
    [
      'output that is not TypeScript',
      '\nlet a = 1\n\nlet b = (\n',
      'mine/errors.hbs:4: what the template makes of taxonomy/errors.ts is no',
    ],
    [
      'such output of a loop',
      '\n{{#each constructors}}\nconst\n  {{reason}}\n{{/each}}',
      'mine/errors.hbs:3: what the template makes of',
    ],
    ['such output behind a partial', '{{> errors}}\n{{> errors}}\n%', 'mine/errors.hbs:'],
  ])('%s', async (_, text, message) => {
    expect(await messageOf(one('errors', text))).toContain(message)
  })

  test('an unused template is checked too', async () => {
    const run = generated(one('permission-bits', '{{#if'), 'library')
    await expect(run).rejects.toThrow('mine/permission-bits.hbs:1: Handlebars says')
  })
})

/** Returns the members of a type of generator/emit/views, and of the types of its members. */
function membersOf(name: string, types: ReadonlyMap<string, ts.InterfaceDeclaration>): readonly string[] {
  const members = types.get(name)?.members.filter(ts.isPropertySignature) ?? []
  return members.flatMap(member => {
    const type = member.type?.getText() ?? ''
    const inner = [...types.keys()].filter(each => new RegExp(`\\b${each}\\b`).test(type))
    return [member.name.getText().replaceAll("'", ''), ...inner.flatMap(each => membersOf(each, types))]
  })
}

describe('docs/generator.md', () => {
  const views = join(repository, 'generator/emit/views')
  const sources = readdirSync(views).map(file => readFileSync(join(views, file), 'utf8'))
  const trees = sources.map(source => ts.createSourceFile('views.ts', source, ts.ScriptTarget.Latest, true))
  const found = trees.flatMap(tree => tree.statements.filter(ts.isInterfaceDeclaration))
  const types = new Map(found.map(each => [each.name.text, each]))
  const text = readFileSync(join(repository, 'docs/generator.md'), 'utf8').replaceAll(/\n {2}(?=\S)/g, ' ')

  test.each(templateNames)('lists the view of %s.hbs with every member', name => {
    const [, view = '', members = ''] = new RegExp(`^- \`${name}\\.hbs\`, \`(\\w+)\`: (.*)$`, 'm').exec(text) ?? []
    expect(membersOf('Views', types).length).toBeGreaterThan(0)
    const listed = [...members.matchAll(/`([\w-]+)`/g)].map(([, member]) => member)
    const inline = view === 'RoutesView' ? ['member', 'fields'] : []
    expect(listed.sort()).toEqual([...membersOf(view, types), ...inline].sort())
  })
})
