import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type DataSource, IsNull } from 'typeorm';
import { cachedOwners } from '../shared/api-key.ts';
import { Rejection } from '../shared/problem.ts';
import { ApiKey } from './entities.ts';
import type { OwnedRequest } from './express.ts';

/** Authenticates a request by its API key, and sets its owner. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  readonly #ownerOf: ReturnType<typeof cachedOwners>;

  constructor(@InjectDataSource() database: DataSource) {
    this.#ownerOf = cachedOwners(async (key_hash) => {
      const key = await database.getRepository(ApiKey).findOneBy({ key_hash, revoked_at: IsNull() });
      return key && (key.expires_at === null || key.expires_at > new Date()) ? key.owner_id : undefined;
    });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<OwnedRequest>();
    const owner = await this.#ownerOf(request.headers['x-api-key']);
    if (owner === undefined) throw new Rejection('unauthenticated');
    request.owner = owner;
    return true;
  }
}
