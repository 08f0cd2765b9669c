import { createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** The faults of a mail server. */
export interface SmtpBehaviour {
  /** The server does not respond to a command that begins with this text. */
  readonly mute?: string
  /** The server refuses a command that begins with this text. */
  readonly refuse?: string
}

/** A mail server with the commands and messages that it has received. */
export interface SmtpServer {
  readonly url: string
  readonly commands: string[]
  readonly messages: string[]
}

/** Starts a minimal mail server, which closes at the end of the running test. */
export async function smtpServer({ mute, refuse }: SmtpBehaviour = {}): Promise<SmtpServer> {
  const commands: string[] = []
  const messages: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    let text = ''
    let isData = false
    socket.on('error', () => undefined)
    socket.write('220 test\r\n')
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8')
      for (;;) {
        const end = isData ? '\r\n.\r\n' : '\r\n'
        const at = text.indexOf(end)
        if (at < 0) return
        const part = text.slice(0, at)
        text = text.slice(at + end.length)
        if (isData) messages.push(part)
        else commands.push(part)
        const wasData = isData
        isData = !wasData && part.startsWith('DATA')
        const command = wasData ? '.' : part
        if (mute !== undefined && command.startsWith(mute)) continue
        if (refuse !== undefined && command.startsWith(refuse)) socket.write('550 kim@acme.example is not here\r\n')
        else if (isData) socket.write('354 go on\r\n')
        else socket.write('250 fine\r\n')
      }
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>(resolve => server.close(() => resolve()))
  })
  const { port } = server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, commands, messages }
}
