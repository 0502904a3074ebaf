import { Module } from '@nestjs/common';

/**
 * Empty: the provider's routes are raw Fastify (http/provider-routes.ts says why). Nest gives start
 * and stop.
 */
export class SimulatorModule {}

// Called, not written as a decorator: so Node can run these sources as they are.
Module({})(SimulatorModule);
