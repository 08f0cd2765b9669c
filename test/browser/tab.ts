import { isRecord } from '../../runtime/validation.ts'
import type { DevTools } from './dev-tools.ts'

const consoleEvents: ReadonlySet<string> = new Set([
  'Log.entryAdded',
  'Runtime.consoleAPICalled',
  'Runtime.exceptionThrown',
])

/** A tab of a browser. */
export class Tab {
  readonly #tools: DevTools
  readonly #target: string
  readonly #session: string
  readonly #console: string[] = []
  readonly #stop: () => void

  private constructor(tools: DevTools, target: string, session: string) {
    this.#tools = tools
    this.#target = target
    this.#session = session
    this.#stop = tools.listen(session, (method, params) => {
      if (consoleEvents.has(method)) this.#console.push(JSON.stringify(params))
    })
  }

  /** Opens an empty tab. */
  static async open(tools: DevTools): Promise<Tab> {
    const { targetId } = await tools.send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await tools.send('Target.attachToTarget', { targetId, flatten: true })
    const tab = new Tab(tools, String(targetId), String(sessionId))
    for (const domain of ['Runtime', 'Log', 'Page']) await tab.send(`${domain}.enable`)
    return tab
  }

  /** The messages to the console of the page, with those of the browser about failed requests. */
  get console(): readonly string[] {
    return this.#console
  }

  /** Sends a command of the DevTools protocol to the page; returns the result. */
  send(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.#tools.send(method, params, this.#session)
  }

  /** Calls `listener` for the events of the page; returns a function that ends the calls. */
  listen(listener: Parameters<DevTools['listen']>[1]): () => void {
    return this.#tools.listen(this.#session, listener)
  }

  /** Begins to load a page. */
  async go(url: string): Promise<void> {
    await this.send('Page.navigate', { url })
  }

  /** Returns the value of an expression in the page, or of its promise. Throws for an exception of the page. */
  async evaluate(expression: string): Promise<unknown> {
    const params = { expression, awaitPromise: true, returnByValue: true }
    const { exceptionDetails, result } = await this.send('Runtime.evaluate', params)
    if (exceptionDetails !== undefined) throw new Error(`the page threw: ${JSON.stringify(exceptionDetails)}`)
    return isRecord(result) ? result['value'] : undefined
  }

  async close(): Promise<void> {
    this.#stop()
    await this.#tools.send('Target.closeTarget', { targetId: this.#target })
  }
}
