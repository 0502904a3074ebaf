import { Module } from '@nestjs/common';

/**
 * Empty: the provider's routes are in front of Nest (http/provider-door.ts says why), the admin
 * endpoint is plain Fastify. Nest gives start and stop.
 */
export class SimulatorModule {}

// Called, not written as a decorator: so Node can run these sources as they are.
Module({})(SimulatorModule);
