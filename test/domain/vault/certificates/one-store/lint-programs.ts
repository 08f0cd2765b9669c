import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** Returns the path of a program on the PATH; undefined if there is none. */
const found = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map(folder => join(folder, name))
    .find(path => existsSync(path))

/** The program zlint, if it is on this machine. */
export const zlint = found('zlint')

/** The interpreter of Python that has the package pkilint, if the programs of the package are on this machine. */
export const pkilint = interpreterOf(found('lint_pkix_cert'))

if (zlint === undefined) console.warn('zlint is not on the PATH: its judgement of certificates and lists is skipped')

if (pkilint === undefined)
  console.warn('pkilint is not on the PATH: its judgement of certificates and lists is skipped')

/** A program of Python stands in one folder with its interpreter. */
function interpreterOf(program: string | undefined): string | undefined {
  if (program === undefined) return undefined
  const python = join(dirname(program), 'python3')
  try {
    execFileSync(python, ['-c', 'import pkilint'], { stdio: 'ignore' })
    return python
  } catch {
    return undefined
  }
}

/**
 * Sources of rules for public authorities, whose certificates browsers and operating systems trust: lifetimes, validation
 * methods and policies that a private authority does not promise. The rules of the RFCs all apply.
 */
const publicSources = ['CABF_BR', 'CABF_CS_BR', 'CABF_EV', 'CABF_SMIME_BR', 'Apple', 'Chrome', 'Mozilla']

/** A finding of a linter, such as `e_serial_number_longer_than_20_octets: details`. */
export type Finding = string

/** Returns the errors of zlint for each file. Throws if a file was judged by fewer than 5 rules. */
export async function zlintErrors(program: string, files: readonly string[]): Promise<readonly Finding[]> {
  const args = ['-excludeSources', publicSources.join(','), ...files]
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 64 * 1024 * 1024 })
  const lines = stdout.trim().split('\n')
  if (lines.length !== files.length) throw new Error(`zlint judged ${lines.length} of ${files.length} files`)
  return lines.flatMap((line, i) => {
    const results: Readonly<Record<string, { readonly result: string; readonly details?: string }>> = JSON.parse(line)
    const judged = Object.entries(results).filter(([, { result }]) => result !== 'NA' && result !== 'NE')
    if (judged.length < 5) throw new Error(`zlint judged ${files[i]} by ${judged.length} rules only`)
    return judged
      .filter(([, { result }]) => result === 'error' || result === 'fatal')
      .map(([name, { details = '' }]) => `${fileName(files[i])} ${name}: ${details}`)
  })
}

/** Judges each file by the programs of the package, in one process, and prints the findings behind the name of the file. */
const judge = `
import contextlib, io, sys
from pkilint.bin import lint_crl, lint_pkix_cert
for path in sys.argv[1:]:
    text = io.StringIO()
    kind = ['-t', 'CRL', '-p', 'PKIX'] if path.endswith('-crl.pem') else []
    with contextlib.redirect_stdout(text):
        (lint_crl if kind else lint_pkix_cert).main(['lint', *kind, '-s', 'ERROR', path])
    lines = [line.strip() for line in text.getvalue().splitlines()]
    for line in lines:
        if '(ERROR)' in line or '(FATAL)' in line:
            print(path.split('/')[-1], line)
    print('judged')
`

/** Returns the errors of pkilint for each file; revocation lists are in the files that end in `-crl.pem`. */
export async function pkilintErrors(python: string, files: readonly string[]): Promise<readonly Finding[]> {
  const { stderr, stdout } = await promisify(execFile)(python, ['-c', judge, ...files])
  const lines = stdout.trim().split('\n')
  const count = lines.filter(line => line === 'judged').length
  if (count !== files.length || stderr !== '')
    throw new Error(`pkilint judged ${count} of ${files.length} files: ${stderr}`)
  return lines.filter(line => line !== 'judged')
}

const fileName = (path = ''): string => path.slice(path.lastIndexOf('/') + 1)
