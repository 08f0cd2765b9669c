import { stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

// A thread that answers TypeScript sources as JavaScript. Node.js calls the function experimental, and warns on the error
// output of the thread.
const sources: unknown = workerData
const texts = Array.isArray(sources) ? sources.map(source => stripTypeScriptTypes(String(source))) : []
parentPort?.postMessage(texts)
