import type { BindingInput, InvitationInput } from '../../output/iam/types.ts'
import { rulesOf, type FormRule, type FormRules } from '../../runtime/form-rules.ts'
import { lifetimeForm } from './credentials/credential-calls.ts'
import { expiryFaults } from './grants/grants.ts'
import { testForm } from './grants/scope-access.ts'
import type { Catalogue } from './interfaces/catalogue.ts'
import { policyForm } from './policies/statement-checks.ts'
import { tokenForms } from './sessions/tokens.ts'
import { avatarForm } from './users/avatars.ts'
import { profileForm } from './users/profile-fields.ts'
import { scopeFaults } from './values/scopes.ts'

const bindingRule = rulesOf<BindingInput>()
const invitationRule = rulesOf<InvitationInput>()

const expiryForm: FormRule = bindingRule(['expire_time'], ({ expire_time }, now) => expiryFaults(expire_time, now), {
  isOfTime: true,
})

const grantsForm: readonly FormRule[] = [
  invitationRule(['grants'], ({ grants = [] }) => grants.flatMap((grant, i) => scopeFaults(grant, `grants[${i}].`))),
  invitationRule(
    ['grants'],
    ({ grants = [] }, now) => grants.flatMap(({ expire_time }, i) => expiryFaults(expire_time, now, `grants[${i}].`)),
    { isOfTime: true },
  ),
]

/** Returns the rules for the bodies of the area that the schemas do not have, keyed by operationId. */
export const iamForms = (catalogue: Catalogue): FormRules => ({
  ...tokenForms,
  createBinding: [expiryForm],
  grantAccess: [expiryForm],
  createPolicy: policyForm(catalogue),
  updatePolicy: policyForm(catalogue),
  setMyAvatar: avatarForm,
  testPrincipalPermissions: testForm,
  inviteUser: [...profileForm, ...grantsForm, lifetimeForm('ACTIVATION')],
  regenerateActivation: [lifetimeForm('ACTIVATION')],
  resetUserPassword: [lifetimeForm('PASSWORD_RESET')],
  updateUser: profileForm,
  updateMyProfile: profileForm,
})
