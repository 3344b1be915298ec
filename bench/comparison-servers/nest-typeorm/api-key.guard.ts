import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type DataSource, IsNull } from 'typeorm';
import { rememberedOwners } from '../shared/api-key.ts';
import { Refusal } from '../shared/problem.ts';
import { ApiKey } from './entities.ts';
import type { OwnedRequest } from './owned-request.ts';

/** Lets in who has a key, and tells the handlers whose it is. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  readonly #ownerOf: ReturnType<typeof rememberedOwners>;

  constructor(@InjectDataSource() database: DataSource) {
    this.#ownerOf = rememberedOwners(async (key_hash) => {
      const key = await database.getRepository(ApiKey).findOneBy({ key_hash, revoked_at: IsNull() });
      return key && (key.expires_at === null || key.expires_at > new Date()) ? key.owner_id : undefined;
    });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<OwnedRequest>();
    const owner = await this.#ownerOf(request.headers['x-api-key']);
    if (owner === undefined) throw new Refusal('unauthenticated');
    request.owner = owner;
    return true;
  }
}
