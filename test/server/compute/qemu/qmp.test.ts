import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { QmpClosed, QmpError, QmpSession } from '../../../../server/compute/qemu/qmp.ts'
import { testFolder } from '../../store/harness.ts'

const greeting = { QMP: { version: { qemu: { major: 7, minor: 2, micro: 0 } }, capabilities: [] } }

/** A command as a monitor reads the command. */
interface Command {
  readonly execute: string
  readonly id: number
}

/** Listens at a path in place of a monitor; `reply` gets each command but the first, `qmp_capabilities`. */
async function monitor(path: string, reply: (socket: Socket, command: Command) => void): Promise<void> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.write(`${JSON.stringify(greeting)}\r\n`)
    let text = ''
    socket.setEncoding('utf8').on('data', (more: string) => {
      const lines = (text + more).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const command: Command = JSON.parse(line)
        if (command.execute === 'qmp_capabilities') socket.write(`{"return": {}, "id": ${command.id}}\r\n`)
        else reply(socket, command)
      }
    })
  })
  // A path that is longer than the kernel permits is bound from within its folder by QEMU, here by a relative path.
  const before = process.cwd()
  process.chdir(dirname(path))
  try {
    server.listen(path.slice(dirname(path).length + 1))
    await once(server, 'listening')
  } finally {
    process.chdir(before)
  }
  onTestFinished(() => void server.close())
}

async function session(reply: (socket: Socket, command: Command) => void, folder = testFolder()): Promise<QmpSession> {
  const path = join(folder, 'qmp.sock')
  await monitor(path, reply)
  const opened = await QmpSession.open(path)
  onTestFinished(() => opened.close())
  return opened
}

describe('a session with a monitor', () => {
  it('returns results by their ids, whatever their order and the events between', async () => {
    const commands: Command[] = []
    const opened = await session((socket, command) => {
      commands.push(command)
      if (commands.length < 3) return
      socket.write('{"event": "STOP", "timestamp": {"seconds": 1, "microseconds": 0}}\r\n')
      for (const { execute, id } of commands.toReversed()) socket.write(`{"return": "${execute}", "id": ${id}}\r\n`)
    })
    const stopped = opened.next('STOP', 60_000)
    const results = Promise.all(['a', 'b', 'c'].map(command => opened.execute(command)))
    expect(await results).toEqual(['a', 'b', 'c'])
    expect(await stopped).toBe(true)
  })

  it('reads lines in pieces', async () => {
    const opened = await session((socket, { id }) => {
      for (const letter of `{"return": "ä", "id": ${id}}\r\n`) socket.write(letter)
    })
    expect(await opened.execute('pieces')).toBe('ä')
  })

  it('throws the error of a command, and goes on', async () => {
    const opened = await session((socket, { execute, id }) => {
      const error = '"error": {"class": "GenericError", "desc": "no such device"}'
      socket.write(`{${execute === 'bad' ? error : '"return": {}'}, "id": ${id}}\r\n`)
    })
    await expect(opened.execute('bad')).rejects.toThrow(new QmpError('no such device'))
    expect(await opened.execute('good')).toEqual({})
  })

  it.each<[string, (socket: Socket) => void]>([
    ['the monitor ends', socket => socket.destroy()],
    ['the monitor sends no JSON', socket => void socket.write('hello\r\n')],
    ['a line has no end', socket => void socket.write('x'.repeat(5 * 2 ** 20))],
    ['the monitor does not answer', () => {}],
  ])('ends for all commands if %s', async (_name, reply) => {
    const opened = await session(reply)
    const event = opened.next('SHUTDOWN', 60_000)
    await expect(opened.execute('a', {}, 300)).rejects.toThrow(QmpClosed)
    expect(opened.isOpen).toBe(false)
    expect(await event).toBe(false)
    await expect(opened.execute('b')).rejects.toThrow(QmpClosed)
    expect(await opened.next('SHUTDOWN', 60_000)).toBe(false)
  })

  it('cannot be opened without a monitor', async () => {
    await expect(QmpSession.open(join(testFolder(), 'qmp.sock'))).rejects.toThrow(QmpClosed)
  })

  it('reaches a monitor at a path that is longer than the kernel permits', async () => {
    const folder = join(testFolder(), 'a'.repeat(100), 'b'.repeat(100))
    mkdirSync(folder, { recursive: true })
    const opened = await session((socket, { id }) => void socket.write(`{"return": 1, "id": ${id}}\r\n`), folder)
    expect(await opened.execute('far')).toBe(1)
  })
})
