const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A lower-case UUID of the RFC 9562 variant. Upper case is folded at the edges before it is asked here. */
export const isUuid = (text: string): boolean => uuid.test(text);

export type NewId = () => string;
