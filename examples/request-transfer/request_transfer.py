"""Asks for a Pix on the requests topic of your team, with nothing of Compasso but its documentation:

    python request_transfer.py <account id> <centavos> <cpf>
"""

import json
import os
import sys
import urllib.request
import uuid
from datetime import datetime, timezone

from jwcrypto import jwe, jwk
from kafka import KafkaProducer

account_id, amount_cents, cpf = sys.argv[1:4]
team = os.environ["TEAM"]
# In your service: drawn once, stored with the order before anything is sent, and the same in every retry.
transfer_id = os.environ.get("TRANSFER_ID") or str(uuid.uuid4())

# Only the payout gateway can open what is sealed to the first of its published keys.
with urllib.request.urlopen(os.environ["PAYEE_JWKS_URL"]) as answer:
    gateway_key = jwk.JWK(**json.load(answer)["keys"][0])
header = {"alg": "ECDH-ES", "enc": "A256GCM", "kid": gateway_key["kid"]}
plain = json.dumps({"keyType": "cpf", "key": cpf}).encode()
sealed = jwe.JWE(plain, json.dumps(header), recipient=gateway_key).serialize(compact=True)
data = {
    "accountId": account_id,
    "amountCents": int(amount_cents),
    "payee": {"kind": "key", "keyType": "cpf", "keyMasked": f"***{cpf[3:9]}**", "sealed": sealed},
    "clientReference": "request_transfer.py",
}
headers = {
    "ce_specversion": "1.0",
    "ce_id": str(uuid.uuid4()),
    "ce_source": f"urn:compasso:team:{team}",
    "ce_type": "compasso.transfer.requested.v1",
    "ce_subject": transfer_id,
    "ce_time": datetime.now(timezone.utc).isoformat().replace("+00:00", "Z"),
    "content-type": "application/json",
}
# Its default partitioner is murmur2, which the contract wants; librdkafka needs partitioner=murmur2_random.
producer = KafkaProducer(bootstrap_servers=os.environ["KAFKA_BROKERS"].split(","), acks="all")
producer.send(
    f"pix.transfer-requests.{team}.v1",
    key=account_id.encode(),
    value=json.dumps(data).encode(),
    headers=[(name, text.encode()) for name, text in headers.items()],
).get(timeout=30)
producer.close()
print(transfer_id)
