import { chmod, mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Inventory } from '../../../../../domain/registry/scanning/inventory.ts'
import { run } from '../../../programs.ts'
import { inventoryOfLayers, layerOf, ociLayer } from '../made-image.ts'
import { lacks } from './lacks.ts'
import { layersOf } from './oci-layout.ts'

/** The folder that make-debian-image.sh has filled. */
const debianImage = process.env['NINEFOLD_DEBIAN_IMAGE']
if (debianImage === undefined)
  console.warn('the test with Debian packages is skipped: NINEFOLD_DEBIAN_IMAGE names no folder')

const folder = (): ReturnType<typeof mkdtempDisposable> => mkdtempDisposable(join(tmpdir(), 'ninefold-layers-'))

/** Runs a program that must succeed; returns its output. */
async function outputOf(program: string, args: readonly string[], input?: string): Promise<string> {
  const { errors, output, status } = await run(program, args, input)
  if (status !== 0) throw new Error(`${program} failed: ${errors.slice(0, 500)}`)
  return output.toString('utf8')
}

/** Returns the inventory of files in a folder, as a layer that GNU tar makes. */
async function inventoryIn(path: string, files: string): Promise<Inventory> {
  const { errors, output, status } = await run('tar', ['-C', path, '-cf', '-', '--no-recursion', '-T', '-'], files)
  if (status !== 0) throw new Error(`tar failed: ${errors.slice(0, 500)}`)
  return inventoryOfLayers([layerOf(output, ociLayer)])
}

const allFiles = (path: string): Promise<string> => outputOf('sh', ['-c', 'cd "$0" && find .', path])

/** Returns each text once, in order. */
const sorted = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort()

describe('the packages of an image', () => {
  it.skipIf(debianImage === undefined)('of Debian are those of dpkg-query', async () => {
    const made = debianImage ?? ''
    const lines = (await readFile(join(made, 'packages'), 'utf8')).trim().split('\n')
    const { os, packages, unsupported } = await inventoryOfLayers(layersOf(join(made, 'image')))
    const found = packages.map(({ name, purl, source, version }) =>
      [name, version, new URL(purl).searchParams.get('arch'), source?.name, source?.version].join(' '),
    )
    // Of a package that was removed, only files of configuration are there.
    const installed = lines.filter(line => !line.startsWith('config-files ')).map(line => line.replace(/^\S+ /, ''))
    expect(lines.length).toBe(installed.length + 1)
    expect(installed.length).toBeGreaterThan(5)
    expect(found.toSorted()).toEqual(installed.toSorted())
    expect(os?.id).toBe('debian')
    expect(new Set(packages.map(({ ecosystem }) => ecosystem))).toEqual(new Set([`Debian:${os?.version}`]))
    expect(unsupported).toEqual([])
  })

  it.skipIf(lacks('with npm', 'npm', 'tar', 'find'))('of npm are those of npm', async () => {
    const root = process.cwd()
    const files = await outputOf('find', ['node_modules/', '-name', 'package.json'])
    const found = (await inventoryIn(root, files)).packages
    // Peers that are missing give npm a status of their own.
    const { output } = await run('npm', ['ls', '--all', '--json'])
    const listed = npmPackages(JSON.parse(output.toString('utf8')))
    expect(listed.length).toBeGreaterThan(100)
    expect(sorted(found.map(({ name, version }) => `${name}@${version}`))).toEqual(sorted(listed))
  })

  it.skipIf(lacks('with pip', 'python3', 'tar'))('of Python are those of pip', async ({ skip }) => {
    await using made = await folder()
    const python = join(made.path, 'bin/python3')
    const { errors, status } = await run('python3', ['-m', 'venv', made.path])
    if (status !== 0) skip(`an environment of Python cannot be made: ${errors.slice(0, 200)}`)
    const site = await outputOf(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'])
    const listed: readonly { readonly name: string; readonly version: string }[] = JSON.parse(
      await outputOf(python, ['-m', 'pip', 'list', '--format', 'json', '--path', site.trim()]),
    )
    const found = (await inventoryIn(made.path, await allFiles(made.path))).packages
    expect(listed.length).toBeGreaterThan(0)
    expect(sorted(found.map(({ name, version }) => `${name} ${version}`))).toEqual(
      sorted(listed.map(({ name, version }) => `${name.toLowerCase().replace(/[-_.]+/g, '-')} ${version}`)),
    )
  })

  it.skipIf(lacks('with programs of Go', 'go', 'tar')).each([
    { title: 'as it is', flags: [] },
    { title: 'independent of its position', flags: ['-buildmode=pie'] },
    { title: 'without symbols', flags: ['-ldflags', '-s -w'] },
    { title: 'of Windows', flags: ['-ldflags', '-s -w'], system: 'windows' },
  ])('of a program of Go, $title, are those of Go', async ({ flags, system = '' }) => {
    await using made = await folder()
    await writeFiles(made.path, goProgram)
    const name = system === 'windows' ? 'program.exe' : 'program'
    const build = ['-C', made.path, 'build', '-mod=vendor', '-o', name, ...flags, '.']
    await outputOf('env', [`GOOS=${system}`, 'go', ...build])
    // The layers of Windows have no modes.
    await chmod(join(made.path, name), system === 'windows' ? 0o644 : 0o755)
    const report = await outputOf('go', ['version', '-m', join(made.path, name)])
    const found = (await inventoryIn(made.path, name)).packages
    const go = /go(\d\S*)/.exec(report)?.[1] ?? ''
    expect(sorted(found.map(({ name, version }) => `${name} ${version}`))).toEqual(
      sorted([`stdlib ${go}`, ...goModules(report)]),
    )
    expect(found).toHaveLength(3)
  })

  it.skipIf(lacks('with modules of folders', 'go', 'tar'))('of a program of Go leave no folder unnamed', async () => {
    await using made = await folder()
    await writeFiles(made.path, goProgramOfFolders)
    await outputOf('env', ['GOPROXY=off', 'go', '-C', made.path, 'build', '-mod=mod', '-o', 'program', '.'])
    const report = await outputOf('go', ['version', '-m', join(made.path, 'program')])
    expect(report).toContain('\n\tdep\texample.com/a\tv1.2.3\n\t=>\t./a\t(devel)')
    const { packages, unsupported } = await inventoryIn(made.path, 'program')
    expect(packages.map(({ name }) => name)).toEqual(['stdlib'])
    expect(unsupported).toEqual(['program of Go with modules of folders: program'])
  })

  it.skipIf(lacks('with crates of Rust', 'gcc', 'objcopy', 'objdump', 'go', 'tar'))(
    'of programs of Rust are named, where a section has their list',
    async () => {
      await using made = await folder()
      const at = (name: string): string => join(made.path, name)
      await writeFiles(made.path, { ...goProgram, crates: 'a list', 'empty.c': 'int main(void) { return 0; }\n' })
      await outputOf('gcc', ['-o', at('plain'), at('empty.c')])
      await outputOf('env', ['GOOS=windows', 'go', '-C', made.path, 'build', '-mod=vendor', '-o', 'plain.exe', '.'])
      const add = ['--add-section', `.dep-v0=${at('crates')}`, '--set-section-flags', '.dep-v0=alloc,readonly']
      await outputOf('objcopy', [...add, at('plain'), at('listed')])
      await outputOf('objcopy', [...add, '--input-target=pei-x86-64', at('plain.exe'), at('listed.exe')])
      for (const name of ['listed', 'listed.exe'])
        expect(await outputOf('objdump', ['-h', at(name)])).toContain('.dep-v0')
      const { unsupported } = await inventoryIn(made.path, 'listed\nlisted.exe\nplain\nplain.exe\n')
      expect(unsupported).toEqual(['program of Rust with a list of crates: listed and 1 more'])
    },
  )
})

/** Returns `name@version` of each package in the tree that npm lists. */
function npmPackages(listed: unknown): readonly string[] {
  const dependencies: unknown = Reflect.get(Object(listed), 'dependencies')
  return Object.entries(Object(dependencies)).flatMap(([name, value]) => {
    const version: unknown = Reflect.get(Object(value), 'version')
    const own = typeof version === 'string' ? [`${name}@${version}`] : []
    return [...own, ...npmPackages(value)]
  })
}

/** Returns the modules in a report of `go version -m`, each with its version, or what replaces it. */
const goModules = (report: string): readonly string[] =>
  [...report.matchAll(/^\tdep\t(\S+)\tv(\S+).*\n(?:\t=>\t(\S+)\tv(\S+))?/gm)].map(
    ([, name, version, newName, newVersion]) => `${newName ?? name} ${newVersion ?? version}`,
  )

/** A program with two modules, one of which replaces another one. */
const goProgram = {
  'go.mod':
    'module example.com/program\n\ngo 1.20\n\nrequire (\n\texample.com/a v1.2.3\n\texample.com/b v0.0.0-20260102030405-abcdefabcdef\n)\n\nreplace example.com/a => example.com/fork v1.4.0+incompatible\n',
  'main.go':
    'package main\n\nimport (\n\t"example.com/a"\n\t"example.com/b"\n)\n\nfunc main() { println(a.Name, b.Name) }\n',
  'vendor/modules.txt':
    '# example.com/a v1.2.3 => example.com/fork v1.4.0+incompatible\n## explicit\nexample.com/a\n# example.com/b v0.0.0-20260102030405-abcdefabcdef\n## explicit\nexample.com/b\n# example.com/a => example.com/fork v1.4.0+incompatible\n',
  'vendor/example.com/a/a.go': 'package a\n\nvar Name = "a"\n',
  'vendor/example.com/b/b.go': 'package b\n\nvar Name = "b"\n',
}

/** A program with a module that a folder replaces. */
const goProgramOfFolders = {
  'go.mod': 'module example.com/program\n\ngo 1.20\n\nrequire example.com/a v1.2.3\n\nreplace example.com/a => ./a\n',
  'main.go': 'package main\n\nimport "example.com/a"\n\nfunc main() { println(a.Name) }\n',
  'a/go.mod': 'module example.com/a\n\ngo 1.20\n',
  'a/a.go': 'package a\n\nvar Name = "a"\n',
}

async function writeFiles(path: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(path, name, '..'), { recursive: true })
    await writeFile(join(path, name), text)
  }
}
