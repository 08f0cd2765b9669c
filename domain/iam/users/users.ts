import type { UserHandlers } from '../../../output/iam/handlers.ts'
import type {
  ActivateUserRequest,
  AuthenticateRequest,
  Avatar,
  ChangeMyPasswordRequest,
  CompletePasswordResetRequest,
  CredentialTokenInfo,
  DeactivateUserRequest,
  DeleteMyAvatarRequest,
  GetMyAvatarRequest,
  GetMyProfileRequest,
  GetUserAvatarRequest,
  GetUserRequest,
  IamCredentialOperation,
  IamOperation,
  ParsedInviteUserRequest,
  ListUsersRequest,
  LookupCredentialTokenRequest,
  ReactivateUserRequest,
  ParsedRegenerateActivationRequest,
  ParsedResetUserPasswordRequest,
  SetMyAvatarRequest,
  TokenResponse,
  UpdateMyProfileRequest,
  UpdateUserRequest,
  User,
} from '../../../output/iam/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { authenticate } from '../sign-in/password-sign-in.ts'
import { Avatars } from './avatars.ts'
import { CredentialUse } from './credential-use.ts'
import { OwnAccount } from './own-account.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { UserDirectory } from './user-directory.ts'
import { userGuards, type UserGuards } from './user-guards.ts'
import { UserInvitation } from './user-invitation.ts'
import { UserLife } from './user-life.ts'

/** Serves users. Each group of calls has a separate class, and this class delegates to these classes. */
export class Users implements UserHandlers {
  readonly #parts: IamEnvironment
  readonly #directory: UserDirectory
  readonly #invitation: UserInvitation
  readonly #life: UserLife
  readonly #credentials: CredentialUse
  readonly #account: OwnAccount
  readonly #avatars: Avatars

  constructor(parts: IamEnvironment, guards: UserGuards = userGuards(parts)) {
    this.#parts = parts
    this.#directory = new UserDirectory(parts, guards)
    this.#invitation = new UserInvitation(parts, guards)
    this.#life = new UserLife(parts, guards)
    this.#credentials = new CredentialUse(parts, guards)
    this.#account = new OwnAccount(parts)
    this.#avatars = new Avatars(parts)
  }

  listUsers(request: ListUsersRequest, context: ListContext): Promise<Page<User>> {
    return this.#directory.list(request, context)
  }

  getUser(request: GetUserRequest, context: CallContext): Promise<Answer<User>> {
    return this.#directory.get(request, context)
  }

  updateUser(request: UpdateUserRequest, context: CallContext): Promise<Answer<IamOperation>> {
    return this.#directory.update(request, context)
  }

  inviteUser(request: ParsedInviteUserRequest, context: CallContext): Promise<Answer<IamCredentialOperation>> {
    return this.#invitation.invite(request, context)
  }

  deactivateUser(request: DeactivateUserRequest, context: CallContext): Promise<Answer<IamOperation>> {
    return this.#life.deactivate(request, context)
  }

  reactivateUser(request: ReactivateUserRequest, context: CallContext): Promise<Answer<IamOperation>> {
    return this.#life.reactivate(request, context)
  }

  regenerateActivation(
    request: ParsedRegenerateActivationRequest,
    context: CallContext,
  ): Promise<Answer<IamCredentialOperation>> {
    return this.#life.regenerateActivation(request, context)
  }

  resetUserPassword(
    request: ParsedResetUserPasswordRequest,
    context: CallContext,
  ): Promise<Answer<IamCredentialOperation>> {
    return this.#life.resetPassword(request, context)
  }

  activateUser(request: ActivateUserRequest, context: CallContext): Promise<Answer<IamOperation>> {
    return this.#credentials.activate(request, context)
  }

  completePasswordReset(request: CompletePasswordResetRequest, context: CallContext): Promise<Answer<IamOperation>> {
    return this.#credentials.completePasswordReset(request, context)
  }

  lookupCredentialToken(
    request: LookupCredentialTokenRequest,
    context: CallContext,
  ): Promise<Answer<CredentialTokenInfo>> {
    return this.#credentials.lookup(request, context)
  }

  authenticate(request: AuthenticateRequest, context: CallContext): Promise<Answer<TokenResponse>> {
    return authenticate(this.#parts, request, context)
  }

  getMyProfile(_request: GetMyProfileRequest, context: CallContext): Promise<Answer<User>> {
    return this.#account.profile(context)
  }

  updateMyProfile(request: UpdateMyProfileRequest, context: CallContext): Promise<Answer<IamOperation>> {
    return this.#account.updateProfile(request, context)
  }

  changeMyPassword(request: ChangeMyPasswordRequest, context: CallContext): Promise<Answer<IamOperation>> {
    return this.#account.changePassword(request, context)
  }

  getMyAvatar(_request: GetMyAvatarRequest, context: CallContext): Promise<Answer<Avatar>> {
    return this.#avatars.mine(context)
  }

  setMyAvatar(request: SetMyAvatarRequest, context: CallContext): Promise<Answer<IamOperation>> {
    return this.#avatars.set(request, context)
  }

  deleteMyAvatar(request: DeleteMyAvatarRequest, context: CallContext): Promise<Answer<IamOperation>> {
    return this.#avatars.delete(request, context)
  }

  getUserAvatar(request: GetUserAvatarRequest, _context: CallContext): Promise<Answer<Avatar>> {
    return this.#avatars.of(request)
  }
}
