import { Body, Controller, Get, Headers, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { cursorOf, entityTag, type PresentedOrder } from '../shared/order.ts';
// oxlint-disable-next-line typescript/consistent-type-imports -- Nest finds the class by the type at run time
import { CancellationDto, NewOrderDto } from './bodies.ts';
import type { JsonResponse } from './json-response.ts';
// oxlint-disable-next-line typescript/consistent-type-imports -- Nest finds the class by the type at run time
import { OrdersService, type Written } from './orders.service.ts';
import type { OwnedRequest } from './owned-request.ts';

const PAGE = 20;

@Controller('v1/orders')
export class OrdersController {
  readonly #orders: OrdersService;

  constructor(orders: OrdersService) {
    this.#orders = orders;
  }

  @Get()
  async list(@Req() { owner }: OwnedRequest, @Res({ passthrough: true }) response: JsonResponse): Promise<object> {
    const found = await this.#orders.list(owner, PAGE);
    const data = found.slice(0, PAGE);
    const last = data.at(-1);
    const next_cursor = last && found.length > PAGE ? cursorOf(last.created_at, last.id) : null;
    if (next_cursor !== null) response.set('Link', `</v1/orders?after=${next_cursor}>; rel="next"`);
    return { data, page: { limit: PAGE, has_more: next_cursor !== null, next_cursor } };
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
    @Body() body: NewOrderDto,
    @Res({ passthrough: true }) response: JsonResponse,
  ): Promise<object> {
    const written = await this.#orders.create(owner, body, key);
    response.set('Location', `/v1/orders/${written.order.id}`);
    return withHeaders(response, written);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  async cancel(
    @Req() { owner }: OwnedRequest,
    @Param('id') id: string,
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: CancellationDto | undefined,
    @Res({ passthrough: true }) response: JsonResponse,
  ): Promise<object> {
    return withHeaders(response, await this.#orders.cancel(owner, id, body?.reason ?? null, key));
  }
}

function withHeaders(response: JsonResponse, { order, replayed }: Written): object {
  response.set('ETag', entityTag(order.version));
  if (replayed) response.set('Idempotent-Replayed', 'true');
  return order;
}
