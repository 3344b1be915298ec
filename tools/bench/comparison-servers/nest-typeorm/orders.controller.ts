import { Body, Controller, Get, Headers, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { Written } from '../shared/keyed.ts';
import { entityTag, pageOf, type PresentedOrder } from '../shared/order.ts';
import { parseCancellation, parseNewOrder } from '../shared/validation.ts';
import type { JsonResponse, OwnedRequest } from './express.ts';
// oxlint-disable-next-line typescript/consistent-type-imports -- Nest finds the class by the type at run time
import { OrdersService } from './orders.service.ts';

@Controller('v1/orders')
export class OrdersController {
  readonly #orders: OrdersService;

  constructor(orders: OrdersService) {
    this.#orders = orders;
  }

  @Get()
  async list(@Req() { owner }: OwnedRequest, @Res({ passthrough: true }) response: JsonResponse): Promise<object> {
    const { link, page } = pageOf(await this.#orders.list(owner));
    if (link !== undefined) response.set('Link', link);
    return page;
  }

  @Get(':id')
  async find(
    @Req() { owner }: OwnedRequest,
    @Param('id') id: string,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) response: JsonResponse,
  ): Promise<PresentedOrder | undefined> {
    const order = await this.#orders.find(owner, id);
    const etag = entityTag(order.version);
    response.set('ETag', etag);
    if (ifNoneMatch !== etag) return order;
    response.status(304);
    return undefined;
  }

  @Post()
  async create(
    @Req() { owner }: OwnedRequest,
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: JsonResponse,
  ): Promise<object> {
    const written = await this.#orders.create(owner, parseNewOrder(body), key);
    response.set('Location', `/v1/orders/${written.order.id}`);
    return withHeaders(response, written);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  async cancel(
    @Req() { owner }: OwnedRequest,
    @Param('id') id: string,
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: JsonResponse,
  ): Promise<object> {
    const { reason = null } = parseCancellation(body);
    return withHeaders(response, await this.#orders.cancel(owner, id, reason, key));
  }
}

function withHeaders(response: JsonResponse, { order, replayed }: Written): object {
  response.set('ETag', entityTag(order.version));
  if (replayed) response.set('Idempotent-Replayed', 'true');
  return order;
}
