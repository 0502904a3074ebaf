import { Module } from '@nestjs/common';

/** Empty: the provider's routes are raw Fastify (http/provider-routes.ts says why). Nest gives start and stop. */
@Module({})
export class SimulatorModule {}
