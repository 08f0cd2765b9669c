import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandError } from './exit-codes.ts'

/** The maximal length of the first line of standard input, in characters. */
const maxLength = 4096

/**
 * Asks for a line at the terminal, echoes the typed text, and returns the line. Throws `CommandError` if the input ends
 * without a line, such as after Ctrl-C.
 */
export const askLine = (question: string): Promise<string> => ask(question, process.stderr)

/**
 * Asks for a password without echoing the typed text, twice if `isNew` is true, and returns the password. If standard
 * input is no terminal, returns its first line instead. Throws `CommandError` for an empty or overlong password, and if
 * the two entries differ.
 */
export async function askPassword(question: string, isNew = false): Promise<string> {
  if (!process.stdin.isTTY) return firstLine()
  const password = await askHidden(question)
  if (password === '') throw new CommandError('there is no password')
  if (isNew && (await askHidden('the same again: ')) !== password) throw new CommandError('the passwords differ')
  return password
}

async function askHidden(question: string): Promise<string> {
  process.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  try {
    return await ask('', nowhere)
  } finally {
    process.stderr.write('\n')
  }
}

function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
  const { promise, reject, resolve } = Promise.withResolvers<string>()
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 })
  lines.on('SIGINT', () => lines.close())
  lines.on('close', () => reject(new CommandError('nothing was entered')))
  lines.question(question, line => {
    resolve(line)
    lines.close()
  })
  return promise
}

async function firstLine(): Promise<string> {
  let text = ''
  process.stdin.setEncoding('utf8')
  for await (const chunk of process.stdin) {
    text += String(chunk)
    if (text.includes('\n') || text.length > maxLength) break
  }
  const [line = ''] = text.split(/\r?\n/, 1)
  if (line === '' || line.length > maxLength) {
    throw new CommandError('the first line of standard input must be the password')
  }
  return line
}
