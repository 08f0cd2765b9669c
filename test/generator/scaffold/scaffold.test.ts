import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runInNewContext } from 'node:vm'
import { format } from 'prettier'
import { describe, expect, test } from 'vitest'
import type { EmitOptions } from '../../../generator/options.ts'
import { scaffold } from '../../../generator/scaffold/scaffold.ts'
import type { Scaffolding } from '../../../generator/scaffold/scaffolding.ts'
import { replaceFile } from '../../../generator/write/replace-file.ts'
import { put, temporaryFolder } from '../write/temporary-folder.ts'
import { options as standard, pets, type Resource, shop, toys } from './fixtures.ts'

interface Setting {
  readonly resources?: readonly Resource[]
  readonly before?: readonly Resource[]
  readonly options?: EmitOptions
}

/** A project with `domain/` for handwritten files and `output/` for generated files. */
class Workspace {
  readonly root = temporaryFolder()

  constructor(files: Readonly<Record<string, string>>) {
    put(this.root, files)
  }

  /** Scaffolds, writes the files, and returns the result. */
  scaffold({ resources = [pets], before, options = standard }: Setting = {}): Scaffolding {
    const path = options.flat ? 'handlers.ts' : 'shop/handlers.ts'
    const { model, handlers } = shop(resources)
    const result = scaffold({
      folder: join(this.root, 'domain'),
      outputRoot: join(this.root, 'output'),
      model,
      files: new Map([[path, options.flat ? handlers.replaceAll('../../', '../') : handlers]]),
      previous: new Map(before ? [[path, shop(before).handlers]] : []),
      options,
    })
    for (const [file, text] of result.files) replaceFile(file, text)
    return result
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }

  /** Returns the diagnostics as they are printed, without the folder of the test. */
  said({ diagnostics }: Scaffolding): string[] {
    return diagnostics.map(({ severity, code, message, position }) => {
      const file = relative(this.root, join(process.cwd(), position.file))
      return `${file}:${position.line}:${position.column} ${severity} ${code}: ${message}`
    })
  }
}

const withBoth = `import { unimplemented } from '../../runtime/errors.ts'
import type { CallContext, ListContext } from '../../runtime/context.ts'
import type { Answer } from '../../runtime/json.ts'
import type { Page } from '../../runtime/pagination.ts'
import type { PetHandlers } from '../../output/shop/handlers.ts'
import type { ParsedCreatePetRequest, ListPetsRequest, Pet } from '../../output/shop/types.ts'

export class Pets implements PetHandlers {
  async listPets(_request: ListPetsRequest, _context: ListContext): Promise<Page<Pet>> {
    throw unimplemented('listPets')
  }

  async createPet(_request: ParsedCreatePetRequest, _context: CallContext): Promise<Answer<Pet>> {
    throw unimplemented('createPet')
  }
}
`

describe('a class that lacks a handler', () => {
  test('gets a typed stub after its last handler and the imports for it, and nothing else changes', () => {
    const odd = `#!/usr/bin/env node
/* header */
import type { PetHandlers } from '../../output/shop/handlers.ts' // the contract
import { type ListContext } from "../../runtime/context.ts";

// Pets.
export   class Pets
  implements PetHandlers // yes
{
  /** First. */
  private  readonly  names = [ 'a','b' ]

      constructor( readonly limit : number ) { }

  async listPets(request: unknown,
                 context: ListContext) { return { rows: this.names } as never } // all of them

  /** helper */
  private helper( ) {
    return  1
  }   
}

export const last = 1;   
`
    const workspace = new Workspace({ 'domain/shop/pets.ts': odd })
    expect(workspace.scaffold().added).toEqual(['Pets.createPet'])
    const stub = `

  async createPet(_request: ParsedCreatePetRequest, _context: CallContext): Promise<Answer<Pet>> {
    throw unimplemented('createPet');
  }`
    const imports = `
import type { ParsedCreatePetRequest, Pet } from '../../output/shop/types.ts';
import type { Answer } from '../../runtime/json.ts';
import { unimplemented } from '../../runtime/errors.ts';`
    expect(workspace.read('domain/shop/pets.ts')).toBe(
      odd
        .replace('{ type ListContext }', '{ type ListContext, type CallContext }')
        .replace(`"../../runtime/context.ts";`, found => found + imports)
        .replace('// all of them', found => found + stub),
    )
  })

  test('is unchanged once no handler is missing', () => {
    const workspace = new Workspace({
      'domain/shop/pets.ts': `import type { PetHandlers } from '../../output/shop/handlers.ts'

export class Pets implements PetHandlers {}
`,
    })
    expect(workspace.scaffold().added).toEqual(['Pets.listPets', 'Pets.createPet'])
    const once = workspace.read('domain/shop/pets.ts')
    expect(workspace.scaffold()).toEqual({ files: new Map(), added: [], diagnostics: [] })
    expect(workspace.read('domain/shop/pets.ts')).toBe(once)
  })

  test.each([
    ['a line of its own', 'export class Pets implements PetHandlers {\n}\n'],
    ['the same line', 'export class Pets implements PetHandlers {}\n'],
    ['the same line, with a member', 'export class Pets implements PetHandlers { listPets(){ return never } }\n'],
    ['a line behind a comment', 'export class Pets implements PetHandlers {\n  // soon\n}\n'],
    ['a class expression', 'export const make = () => class Pets implements PetHandlers { x = 1 }\n'],
  ])('gets it at the place where its brace closes on %s', async (_, source) => {
    const workspace = new Workspace({
      'domain/pets.ts': `import type { PetHandlers } from '../output/shop/handlers.ts'\n${source}`,
    })
    const result = workspace.scaffold()
    expect(result.added).toContain('Pets.createPet')
    await format(workspace.read('domain/pets.ts'), { parser: 'typescript' })
    expect(workspace.scaffold().added).toEqual([])
  })

  test('keeps CRLF line ends, tabs, double quotes and a byte order mark', () => {
    const source = [
      '\ufeffimport type { PetHandlers } from "../output/shop/handlers.ts";',
      '',
      'class Pets implements PetHandlers {',
      '\tasync listPets() { throw new Error() }',
      '}',
      '',
    ].join('\r\n')
    const workspace = new Workspace({ 'domain/pets.ts': source })
    workspace.scaffold()
    const text = workspace.read('domain/pets.ts')
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(text.startsWith('\ufeffimport')).toBe(true)
    expect(text).toContain('\r\n\r\n\tasync createPet(')
    expect(text).toContain('\t\tthrow unimplemented("createPet");\r\n\t}\r\n}\r\n')
  })

  test('counts handlers that it inherits, or has as a property or as a parameter property', () => {
    const workspace = new Workspace({
      'domain/base.ts': `export abstract class Base { async listPets() { return never } }\n`,
      'domain/pets.ts': `import { Base as Common } from './base.ts'
import type { PetHandlers } from '../output/shop/handlers.ts'
export class Pets extends Common implements PetHandlers { createPet = async () => never }
export class Others implements PetHandlers { constructor(readonly listPets: never, readonly createPet: never) {} }
`,
    })
    expect(workspace.scaffold()).toEqual({ files: new Map(), added: [], diagnostics: [] })
  })

  test('is named, not changed, if it extends a class in another file', () => {
    const workspace = new Workspace({
      'domain/pets.ts': `import { Base } from 'somewhere'
import type { PetHandlers } from '../output/shop/handlers.ts'
export class Pets extends Base implements PetHandlers {
  listPets() {}
}
`,
    })
    const result = workspace.scaffold()
    expect(result.files.size).toBe(0)
    expect(workspace.said(result)).toEqual([
      'domain/pets.ts:3:14 warning unknown-base-class: Pets extends Base, which was not found: add createPet yourself if it lacks them',
    ])
  })

  test('may implement several resources, with other classes in its file', () => {
    const workspace = new Workspace({
      'domain/shop.ts': `import type { PetHandlers, PetToyHandlers as Toys } from '../output/shop/handlers.ts'
import * as contract from '../output/shop/handlers.ts'

class All implements PetHandlers, Toys {}

class Again implements contract.PetToyHandlers {}

class Unrelated implements Iterable<number> {}
`,
    })
    expect(workspace.scaffold({ resources: [pets, toys] }).added).toEqual([
      'All.listPets',
      'All.createPet',
      'All.getToy',
      'Again.getToy',
    ])
    expect(workspace.read('domain/shop.ts').match(/from '.*errors.ts'/g)).toHaveLength(1)
  })

  test('is not confused with a class that implements an interface of the same name in another module', () => {
    const workspace = new Workspace({
      'domain/pets.ts': `import type { PetHandlers } from './own.ts'
export class Pets implements PetHandlers {}
`,
      'domain/local.ts': `interface PetHandlers {}
export class Pets implements PetHandlers {}
`,
    })
    const result = workspace.scaffold()
    expect([...result.files.keys()].map(file => relative(workspace.root, file))).toEqual(['domain/shop/pets.ts'])
  })

  test('stays unchanged in the output, installed packages, hidden folders, declarations and behind links', () => {
    const source = `import type { PetHandlers } from '../output/shop/handlers.ts'\nexport class Pets implements PetHandlers {}\n`
    const workspace = new Workspace({
      'domain/node_modules/a/pets.ts': source,
      'domain/.hidden/pets.ts': source,
      'domain/pets.d.ts': source,
      'elsewhere/pets.ts': source,
      'domain/keep.ts': '',
    })
    symlinkSync(join(workspace.root, 'elsewhere'), join(workspace.root, 'domain', 'linked'))
    const files = [...workspace.scaffold().files.keys()].map(file => relative(workspace.root, file))
    expect(files).toEqual(['domain/shop/pets.ts'])
  })
})

describe('imports that stubs need', () => {
  const header = `import type { PetHandlers } from '../output/shop/handlers.ts'\n`
  const pet = `\nclass Pets implements PetHandlers {\n  listPets() {}\n}\n`

  test.each([
    [
      'extend the type import that is there',
      `import type { Answer } from '../runtime/json.ts'\nimport type { Pet } from '../output/shop/types.ts'\n`,
      `import type { Answer } from '../runtime/json.ts'\nimport type { Pet, ParsedCreatePetRequest } from '../output/shop/types.ts'\n`,
    ],
    [
      'are marked as types in an import of values',
      `import { parse } from '../runtime/json.ts'\n`,
      `import { parse, type Answer } from '../runtime/json.ts'\n`,
    ],
    [
      'prefer the type import where there are two',
      `import { parse } from '../runtime/json.ts'\nimport type { JsonText } from '../runtime/json.ts'\n`,
      `import type { JsonText, Answer } from '../runtime/json.ts'\n`,
    ],
    [
      'extend an import of several lines by a line',
      `import {\n  ApiError,\n  type Status,\n} from '../runtime/errors.ts'\n`,
      `import {\n  ApiError,\n  type Status,\n  unimplemented,\n} from '../runtime/errors.ts'\n`,
    ],
    [
      'do not make a value of a type import',
      `import type { ApiError } from '../runtime/errors.ts'\n`,
      `import type { ApiError } from '../runtime/errors.ts'\n`,
    ],
    [
      'reuse another local name',
      `import type { Pet as Animal } from '../output/shop/types.ts'\n`,
      `: Promise<Answer<Animal>> {`,
    ],
    [
      'reuse a namespace',
      `import type * as types from '../output/shop/types.ts'\n`,
      `_request: types.ParsedCreatePetRequest, _context: CallContext): Promise<Answer<types.Pet>>`,
    ],
    [
      'take another name where theirs is taken by an import',
      `import type { Pet } from './model.ts'\n`,
      `import type { ParsedCreatePetRequest, Pet as PetType } from '../output/shop/types.ts'\n`,
    ],
    ['take another name where theirs is declared', `type Answer = 42\n`, `Promise<AnswerType<Pet>>`],
    [
      'break a line that grows too long',
      `import { ${'abcdefghi, '.repeat(8).replaceAll(/abcdefghi/g, (_, at: number) => `abcdefgh${at}`)}ApiError } from '../runtime/errors.ts'\n`,
      `\n  ApiError,\n  unimplemented,\n} from '../runtime/errors.ts'\n`,
    ],
  ])('%s', async (_, given, expected) => {
    const workspace = new Workspace({ 'domain/pets.ts': header + given + pet })
    expect(workspace.scaffold().added).toEqual(['Pets.createPet'])
    const text = workspace.read('domain/pets.ts')
    expect(text).toContain(expected)
    await format(text, { parser: 'typescript' })
    expect(workspace.scaffold().added).toEqual([])
  })

  test.each([
    ['.js', `../output/shop/handlers.js`, `from '../runtime/errors.js'`],
    ['none', `../output/shop/handlers`, `from '../runtime/errors'`],
    ['an alias', `@/output/shop/handlers`, `from '@/runtime/errors'`],
    ['an alias with an ending', `#output/shop/handlers.ts`, `from '../runtime/errors.ts'`],
  ])('end like those of the file: %s', (_, specifier, expected) => {
    const source = `import type { PetHandlers } from '${specifier}'\n${pet}`
    const workspace = new Workspace({ 'domain/pets.ts': source })
    workspace.scaffold()
    expect(workspace.read('domain/pets.ts')).toContain(expected)
  })

  test.each([
    ['a copy', { kind: 'copy' }, `'../output/runtime/errors.ts'`],
    ['a package', { kind: 'package', name: 'ninefold/runtime' }, `'ninefold/runtime/errors'`],
    ['a folder', { kind: 'folder', path: '../lib/rt' }, `'../lib/rt/errors.ts'`],
  ] as const)('name a runtime that is %s', (_, runtime, expected) => {
    const workspace = new Workspace({ 'domain/pets.ts': header + pet })
    workspace.scaffold({ options: { ...standard, runtime } })
    expect(workspace.read('domain/pets.ts')).toContain(`import { unimplemented } from ${expected}`)
  })
})

describe('a resource without a class', () => {
  test('gets a file with a class, in prettier form', async () => {
    const workspace = new Workspace({})
    const result = workspace.scaffold({ resources: [pets, toys] })
    expect(result.added).toEqual(['PetHandlers.listPets', 'PetHandlers.createPet', 'PetToyHandlers.getToy'])
    const text = workspace.read('domain/shop/pets.ts')
    expect(text).toContain('export class Pets implements PetHandlers {')
    expect(text)
      .toContain(`  async createPet(_request: ParsedCreatePetRequest, _context: CallContext): Promise<Answer<Pet>> {
    throw unimplemented('createPet')
  }`)
    const style = {
      parser: 'typescript',
      printWidth: 120,
      semi: false,
      singleQuote: true,
      arrowParens: 'avoid',
    } as const
    expect(await format(text, style)).toBe(text)
    expect(existsSync(join(workspace.root, 'domain/shop/pet-toys.ts'))).toBe(true)
    expect(workspace.scaffold({ resources: [pets, toys] })).toEqual({ files: new Map(), added: [], diagnostics: [] })
  })

  test('gets the file next to the classes of the same document', () => {
    const workspace = new Workspace({ 'domain/animals/pets.ts': withBoth })
    const files = [...workspace.scaffold({ resources: [pets, toys] }).files.keys()]
    expect(files).toEqual([join(workspace.root, 'domain/animals/pet-toys.ts')])
  })

  test('gets the file directly in the folder if the output is flat', () => {
    const workspace = new Workspace({})
    workspace.scaffold({ options: { ...standard, flat: true, importEnding: '.js', runtime: { kind: 'copy' } } })
    expect(workspace.read('domain/pets.ts')).toContain(`from '../output/handlers.js'`)
  })

  test('gets no file if other code uses its interface', () => {
    const workspace = new Workspace({
      'domain/pets.ts': `import type { PetHandlers } from '../output/shop/handlers.ts'\nexport const pets: PetHandlers = never\n`,
    })
    const result = workspace.scaffold()
    expect(result.files.size).toBe(0)
    expect(workspace.said(result)).toEqual([
      'domain/pets.ts:1:1 warning no-handler-class: PetHandlers is used, but no class implements it: no class was added',
    ])
  })

  test('gets no file if a file of its name exists', () => {
    const workspace = new Workspace({ 'domain/shop/pets.ts': 'export const pets = 1\n' })
    const result = workspace.scaffold()
    expect(result.files.size).toBe(0)
    expect(workspace.said(result)).toEqual([
      'domain/shop/pets.ts:1:1 warning no-handler-class: no class here implements PetHandlers: none was added, since the file exists',
    ])
  })
})

describe('a handler of a removed operation', () => {
  const handwritten = `import type { PetHandlers } from '../output/shop/handlers.ts'

export class Pets implements PetHandlers {
  async listPets() {}
  async createPet() {}

  async feedPet(request: unknown) {}
  async washPet(request: ParsedWashPetRequest) {}
  private async helper() {}
  async other(request: Pet) {}
}
`
  test('is reported with its place and stays', () => {
    const workspace = new Workspace({ 'domain/pets.ts': handwritten })
    const before = [{ ...pets, methods: { ...pets.methods, feedPet: 'feedPet(): Promise<void>' } }]
    const result = workspace.scaffold({ before })
    expect(result.files.size).toBe(0)
    expect(workspace.said(result)).toEqual([
      'domain/pets.ts:7:9 warning leftover-handler: Pets.feedPet handles an operation that the document no longer has: remove it',
      'domain/pets.ts:8:9 warning leftover-handler: Pets.washPet handles an operation that the document no longer has: remove it',
    ])
  })

  test('is reported as a class when the whole resource is gone', () => {
    const workspace = new Workspace({
      'domain/pets.ts': handwritten,
      'domain/toys.ts': withBoth
        .replace(/.*shop.handlers.*\n/, `import type { PetToyHandlers } from '../output/shop/handlers.ts'\n`)
        .replace('implements PetHandlers', 'implements PetToyHandlers'),
    })
    const result = workspace.scaffold()
    expect(workspace.said(result)).toContain(
      'domain/toys.ts:8:14 warning leftover-handler: Pets implements PetToyHandlers, which the document no longer has: remove the class',
    )
  })
})

test('an operation id is data in a stub, whatever it contains', async () => {
  const { model, handlers } = shop([pets])
  const id = `it's "x" \\ \`\${1}\` \u2028 */`
  const documents = model.documents.map(document => ({
    ...document,
    groups: document.groups.map(group => ({
      ...group,
      operations: group.operations.map(operation => ({ ...operation, id })),
    })),
  }))
  const root = temporaryFolder()
  mkdirSync(join(root, 'domain'))
  const { files } = scaffold({
    folder: join(root, 'domain'),
    outputRoot: join(root, 'output'),
    model: { documents, shared: new Set(), exact: new Set(), int64s: new Set(), isInterwoven: false },
    files: new Map([['shop/handlers.ts', handlers]]),
    previous: new Map(),
    options: standard,
  })
  const literals = [...files.values()].join().matchAll(/throw unimplemented\(('.*')\)\n/g)
  const values = Array.from(literals, ([, literal = '']) => runInNewContext(literal))
  expect(values).toEqual([id, id])
})
