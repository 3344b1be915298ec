import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Logger, LoggerModule } from 'nestjs-pino';
import { environment, LEAN_LOG, LOG_STREAM } from '../shared/environment.ts';
import { ApiKeyGuard } from './api-key.guard.ts';
import { ApiKey, IdempotencyRecord, Order, OrderItem, Outbox } from './entities.ts';
import { OrdersController } from './orders.controller.ts';
import { OrdersService } from './orders.service.ts';
import { ProblemFilter } from './problem.filter.ts';

/** NestJS on Express with TypeORM, zod and nestjs-pino. */
@Module({
  imports: [
    LoggerModule.forRoot({ pinoHttp: [LEAN_LOG, LOG_STREAM] }),
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: environment.databaseUrl,
      poolSize: environment.poolMax,
      entities: [ApiKey, IdempotencyRecord, Order, OrderItem, Outbox],
    }),
  ],
  controllers: [OrdersController],
  providers: [
    OrdersService,
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
})
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, { bufferLogs: true });
app.useLogger(app.get(Logger));
app.disable('x-powered-by');
app.disable('etag');
await app.listen(environment.port, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
