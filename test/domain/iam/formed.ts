import { addFormFaults, type FormRules } from '../../../runtime/form-rules.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { Faults, isRecord } from '../../../runtime/validation.ts'

/** Returns handlers that refuse bodies by the rules of their area before each call, as the routes of a server do. */
export const formed = <Handlers extends object>(handlers: Handlers, forms: FormRules): Handlers =>
  new Proxy(handlers, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      const rules = forms[String(name)]
      if (typeof member !== 'function') return member
      return async (...given: readonly unknown[]): Promise<unknown> => {
        const [request, context] = given
        const faults = new Faults()
        if (rules && isRecord(request) && isRecord(request['body']) && isRecord(context))
          addFormFaults(rules, request['body'], Number(context['now']), faults)
        if (faults.count > 0) throw fieldInvalid(faults.list)
        return Reflect.apply(member, target, given)
      }
    },
  })
