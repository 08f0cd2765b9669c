import { parentPort, workerData } from 'node:worker_threads'
import { SwitchLoop } from './switch-loop.ts'
import type { SwitchStart, ToSwitch } from './messages.ts'

/** This program is the thread of the switch. `PortSwitch` starts the thread and sends its messages. */

const port = parentPort
if (port === null) throw new Error('this file is a worker thread of the server')

// `PortSwitch` alone starts this thread and sends messages to it.
const loop = new SwitchLoop(workerData as SwitchStart, message => port.postMessage(message))
port.on('message', (message: ToSwitch) => loop.handle(message))
