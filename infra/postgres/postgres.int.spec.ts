import pg from 'pg';

describe('the shared Postgres', () => {
  it('answers', async () => {
    const client = new pg.Client({ connectionString: process.env['COMPASSO_TEST_POSTGRES_URL'] });
    await client.connect();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
  });
});
