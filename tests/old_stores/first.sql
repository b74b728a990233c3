CREATE TABLE meta (
	"key" VARCHAR NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY ("key")
);
CREATE TABLE memories (
	memory_id VARCHAR NOT NULL,
	version INTEGER NOT NULL,
	tenant VARCHAR NOT NULL,
	fleet VARCHAR NOT NULL,
	agent VARCHAR NOT NULL,
	visibility VARCHAR NOT NULL,
	session VARCHAR NOT NULL,
	tier VARCHAR NOT NULL,
	kind VARCHAR NOT NULL,
	subject VARCHAR NOT NULL,
	predicate VARCHAR NOT NULL,
	object VARCHAR NOT NULL,
	content TEXT NOT NULL,
	content_digest VARCHAR NOT NULL,
	salt BLOB,
	importance FLOAT,
	confidence FLOAT,
	is_inferred INTEGER NOT NULL,
	status VARCHAR NOT NULL,
	source VARCHAR NOT NULL,
	valid_from BIGINT,
	valid_to BIGINT,
	recorded_at BIGINT NOT NULL,
	superseded_at BIGINT,
	expires_at BIGINT,
	qualifiers TEXT NOT NULL,
	keystone INTEGER NOT NULL,
	detail TEXT NOT NULL,
	embedding BLOB,
	twin_key VARCHAR,
	seq BIGINT NOT NULL,
	PRIMARY KEY (memory_id, version),
	CONSTRAINT known_tier CHECK (tier IN ('working', 'episodic', 'semantic', 'procedural')),
	CONSTRAINT known_status CHECK (status IN ('active', 'pending', 'confirmed', 'cancelled', 'outdated', 'conflicted', 'archived', 'deleted')),
	CONSTRAINT known_visibility CHECK (visibility IN ('agent', 'team', 'org')),
	CONSTRAINT whole_address CHECK (tenant <> '' AND fleet <> '' AND agent <> ''),
	CONSTRAINT importance_range CHECK (importance BETWEEN 0 AND 1),
	CONSTRAINT confidence_range CHECK (confidence BETWEEN 0 AND 1),
	CONSTRAINT interval_not_empty CHECK (valid_to > valid_from)
);
CREATE TABLE derivations (
	tenant VARCHAR NOT NULL,
	child VARCHAR NOT NULL,
	parent VARCHAR NOT NULL,
	relation VARCHAR NOT NULL,
	seq BIGINT NOT NULL,
	PRIMARY KEY (child, parent, relation)
);
CREATE TABLE candidates (
	candidate_id VARCHAR NOT NULL,
	tenant VARCHAR NOT NULL,
	fleet VARCHAR NOT NULL,
	agent VARCHAR NOT NULL,
	role VARCHAR NOT NULL,
	state VARCHAR NOT NULL,
	reason TEXT NOT NULL,
	draft TEXT NOT NULL,
	content_digest VARCHAR NOT NULL,
	salt BLOB,
	twin_key VARCHAR,
	proposed_at BIGINT NOT NULL,
	seq BIGINT NOT NULL,
	PRIMARY KEY (candidate_id),
	CONSTRAINT known_state CHECK (state IN ('staged', 'quarantined'))
);
CREATE TABLE requests (
	tenant VARCHAR NOT NULL,
	fleet VARCHAR NOT NULL,
	agent VARCHAR NOT NULL,
	role VARCHAR NOT NULL,
	request_id VARCHAR NOT NULL,
	payload_digest VARCHAR NOT NULL,
	salt BLOB NOT NULL,
	receipt TEXT NOT NULL,
	seq BIGINT NOT NULL,
	PRIMARY KEY (tenant, fleet, agent, role, request_id)
);
CREATE TABLE audit (
	body TEXT NOT NULL,
	prev_hash BLOB NOT NULL,
	hash BLOB NOT NULL,
	tenant VARCHAR NOT NULL GENERATED ALWAYS AS (json_extract(body, '$.tenant')) STORED,
	seq BIGINT NOT NULL GENERATED ALWAYS AS (json_extract(body, '$.seq')) STORED,
	time BIGINT NOT NULL GENERATED ALWAYS AS (json_extract(body, '$.time')) STORED,
	action VARCHAR NOT NULL GENERATED ALWAYS AS (json_extract(body, '$.action')) STORED,
	resource VARCHAR NOT NULL GENERATED ALWAYS AS (json_extract(body, '$.resource')) STORED,
	event VARCHAR NOT NULL GENERATED ALWAYS AS (json_extract(body, '$.event')) STORED,
	UNIQUE (tenant, seq),
	UNIQUE (tenant, prev_hash),
	UNIQUE (event)
);
CREATE TABLE audit_heads (
	tenant VARCHAR NOT NULL,
	seq BIGINT NOT NULL,
	hash BLOB NOT NULL,
	time BIGINT NOT NULL,
	PRIMARY KEY (tenant)
);
CREATE UNIQUE INDEX current_version ON memories (memory_id) WHERE superseded_at IS NULL;
CREATE UNIQUE INDEX one_live_twin ON memories (tenant, twin_key) WHERE superseded_at IS NULL AND status IN ('active', 'pending', 'confirmed');
CREATE INDEX by_address ON memories (tenant, tier, visibility, fleet, agent, recorded_at) WHERE superseded_at IS NULL;
CREATE INDEX by_parent ON derivations (parent);
CREATE UNIQUE INDEX one_candidate_twin ON candidates (tenant, twin_key);
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
INSERT INTO audit (body, prev_hash, hash) VALUES ('{"action":"working.write","actor":{"fleet":"dock","name":"dock-1","role":"agent"},"event":"entry-0001","resource":"note-0001","seq":1,"tenant":"northlight","time":1772442000000000,"touched":[{"digest":"4159b8f6336432b7623810615db11d35b6d78ca7e8c616e693cea5f30be9feec","id":"note-0001","status":"active","version":1}]}', X'6EEAC4A854992E5E867BC56D656C7ACC5BCAD1FD66392F4C3963DE4D067EC2D2', X'808FC071AA7FF449895DFAA5FCD34DCFE35EC2EF5E538B808AD594866D817A56');
INSERT INTO audit (body, prev_hash, hash) VALUES ('{"action":"working.write","actor":{"fleet":"dock","name":"dock-1","role":"agent"},"event":"entry-0002","resource":"note-0002","seq":2,"tenant":"northlight","time":1772442060000000,"touched":[{"digest":"1aa98216d2ffa92a217318a65bfdbddcdd993b75b7b7413a785386cc945032cf","id":"note-0002","status":"active","version":1},{"digest":"4159b8f6336432b7623810615db11d35b6d78ca7e8c616e693cea5f30be9feec","id":"note-0001","status":"outdated","version":2}]}', X'808FC071AA7FF449895DFAA5FCD34DCFE35EC2EF5E538B808AD594866D817A56', X'994C44E96EB25FD46DBA9917539D9A7506872A4E7F1F7A784BE42ABB6C2D13D6');
INSERT INTO audit (body, prev_hash, hash) VALUES ('{"action":"episodic.write","actor":{"fleet":"dock","name":"dock-1","role":"agent"},"event":"entry-0003","resource":"event-0001","seq":3,"tenant":"northlight","time":1772442120000000,"touched":[{"digest":"212c8784cee1801b6c223d17579e081e844dd16d270a133193b8e42c95737f42","id":"event-0001","status":"active","version":1}]}', X'994C44E96EB25FD46DBA9917539D9A7506872A4E7F1F7A784BE42ABB6C2D13D6', X'05CFAC7AC402783105DB8A831AA3A0D88F7AA6759AF13C7BB73B2A00B4980603');
INSERT INTO audit (body, prev_hash, hash) VALUES ('{"action":"semantic.write","actor":{"fleet":"dock","name":"dock-1","role":"agent"},"event":"entry-0004","resource":"fact-0001","seq":4,"tenant":"northlight","time":1772442180000000,"touched":[{"digest":"fbfe1342eb73e91387d775f925ef801019126a89e44b0a0ff6bb586e03813210","id":"fact-0001","status":"active","version":1}]}', X'05CFAC7AC402783105DB8A831AA3A0D88F7AA6759AF13C7BB73B2A00B4980603', X'8131AE3E18AB97677D72983BC85A69024AA24A58ED5EB67DC4D7497B546DC1CA');
INSERT INTO audit (body, prev_hash, hash) VALUES ('{"action":"semantic.write","actor":{"fleet":"dock","name":"dock-1","role":"agent"},"event":"entry-0005","resource":"fact-0002","seq":5,"tenant":"northlight","time":1772442240000000,"touched":[{"digest":"f4538063f0768a144a6389ad4fa64944d8baf95706b4ed54cae5017d9c6bb9fa","id":"fact-0002","status":"active","version":1}]}', X'8131AE3E18AB97677D72983BC85A69024AA24A58ED5EB67DC4D7497B546DC1CA', X'5370F35213A0779D71361E4C6237C5A80D88ECEC0ADD9E3BB02DBEC8A59703EB');
INSERT INTO audit (body, prev_hash, hash) VALUES ('{"action":"semantic.write","actor":{"fleet":"dock","name":"dock-1","role":"agent"},"event":"entry-0006","resource":"fact-0003","seq":6,"tenant":"northlight","time":1772442300000000,"touched":[{"digest":"7240b285750141f2be885526c1ecb8742dea38e86c2c792cb424a09560565566","id":"fact-0003","status":"active","version":1}]}', X'5370F35213A0779D71361E4C6237C5A80D88ECEC0ADD9E3BB02DBEC8A59703EB', X'FDBA89E16D7AC8A1B1E7553DA166B3CDE555E89D67B414E8A76B632EAC7489D0');
INSERT INTO audit (body, prev_hash, hash) VALUES ('{"action":"semantic.write","actor":{"fleet":"dock","name":"dock-1","role":"agent"},"event":"entry-0007","resource":"fact-0004","seq":7,"tenant":"northlight","time":1772442420000000,"touched":[{"digest":"f5a91bbba5fad1a2b320ab35da90ced54ea6fae896e72ea0497a758c2be00ad8","id":"fact-0004","status":"active","version":1}]}', X'FDBA89E16D7AC8A1B1E7553DA166B3CDE555E89D67B414E8A76B632EAC7489D0', X'7E9D2E0E6727D5CB8D53EABC521E6F2A25D9E02F1E518AD4366065F6F2A9DB66');
INSERT INTO audit (body, prev_hash, hash) VALUES ('{"action":"stage","actor":{"fleet":"dock","name":"dock-1","role":"agent"},"digest":"3ed1eec72bd3e45424c61eb954b5ea320c294dfbc9caceee7e7dadb58f385f97","event":"entry-0008","resource":"candidate-0001","seq":8,"state":"quarantined","tenant":"northlight","time":1772442480000000,"touched":[]}', X'7E9D2E0E6727D5CB8D53EABC521E6F2A25D9E02F1E518AD4366065F6F2A9DB66', X'98DF3A213F3FD5BB41B839C5BCF449B755792F5733115CAE1443DAF97A65EE30');
INSERT INTO audit (body, prev_hash, hash) VALUES ('{"action":"semantic.write","actor":{"fleet":"dock","name":"shift-lead","role":"person"},"event":"entry-0009","resource":"fact-0005","seq":9,"tenant":"northlight","time":1772442540000000,"touched":[{"digest":"8448ca741d52c90ca5077f377659a06665c40096bd4d1e106e0605d3fc996c4a","id":"fact-0005","status":"active","version":1}]}', X'98DF3A213F3FD5BB41B839C5BCF449B755792F5733115CAE1443DAF97A65EE30', X'DEEE99D0DE8B156E70CDFA1CC3432AC71F8CD930478C107E7429B0CBBCDB100D');
INSERT INTO audit (body, prev_hash, hash) VALUES ('{"action":"semantic.write","actor":{"fleet":"cold","name":"cold-1","role":"agent"},"event":"entry-0010","resource":"fact-0006","seq":1,"tenant":"southgate","time":1772442600000000,"touched":[{"digest":"5e0b937b7b78b12f92565dada5f106093a5f81a870d022902974cea3413b8c9a","id":"fact-0006","status":"active","version":1}]}', X'6EEAC4A854992E5E867BC56D656C7ACC5BCAD1FD66392F4C3963DE4D067EC2D2', X'3065281683E8212E9CA6040A510293C4D7F8E9004F866242AC2EFE66B3FF689C');
INSERT INTO audit_heads (tenant, seq, hash, time) VALUES ('northlight', 9, X'DEEE99D0DE8B156E70CDFA1CC3432AC71F8CD930478C107E7429B0CBBCDB100D', 1772442540000000);
INSERT INTO audit_heads (tenant, seq, hash, time) VALUES ('southgate', 1, X'3065281683E8212E9CA6040A510293C4D7F8E9004F866242AC2EFE66B3FF689C', 1772442600000000);
INSERT INTO candidates (candidate_id, tenant, fleet, agent, role, state, reason, draft, content_digest, salt, twin_key, proposed_at, seq) VALUES ('candidate-0001', 'northlight', 'dock', 'dock-1', 'agent', 'quarantined', 'text from web is quarantined until a person has read it', '{"confidence": null, "content": "The lift sticks, says a page", "detail": {}, "evidence": [], "expires_at": null, "importance": null, "kind": "fact", "object": null, "predicate": null, "qualifiers": {}, "session": "", "source": "web", "subject": null, "tier": "semantic", "valid_from": null, "valid_to": null, "visibility": "team"}', '3ed1eec72bd3e45424c61eb954b5ea320c294dfbc9caceee7e7dadb58f385f97', X'21F0092BC748B49542646DF082336626', '2d5709104d9d45f8cb296930f0ede700ee25ad6b10200c916efaf15de9e95c3c', 1772442480000000, 8);
INSERT INTO derivations (tenant, child, parent, relation, seq) VALUES ('northlight', 'fact-0004', 'fact-0002', 'evidence', 7);
INSERT INTO memories (memory_id, version, tenant, fleet, agent, visibility, session, tier, kind, subject, predicate, object, content, content_digest, salt, importance, confidence, is_inferred, status, source, valid_from, valid_to, recorded_at, superseded_at, expires_at, qualifiers, keystone, detail, embedding, twin_key, seq) VALUES ('note-0001', 1, 'northlight', 'dock', 'dock-1', 'team', 's1', 'working', 'note', 'arm-1', 'observed', 'drift', 'arm 1 drifts to the left', '4159b8f6336432b7623810615db11d35b6d78ca7e8c616e693cea5f30be9feec', X'A5291F80BD99AB4C7975F9A48DE1EFB2', NULL, NULL, 0, 'active', 'agent', NULL, NULL, 1772442000000000, 1772442060000000, NULL, '{}', 0, '{}', NULL, '7bf402fa4daa416fe708941d3fe91fa0825011ddd985d68f929ee461178605bf', 1);
INSERT INTO memories (memory_id, version, tenant, fleet, agent, visibility, session, tier, kind, subject, predicate, object, content, content_digest, salt, importance, confidence, is_inferred, status, source, valid_from, valid_to, recorded_at, superseded_at, expires_at, qualifiers, keystone, detail, embedding, twin_key, seq) VALUES ('note-0002', 1, 'northlight', 'dock', 'dock-1', 'team', 's1', 'working', 'note', 'arm-1', 'supersedes', 'note-0001', 'arm 1 was set straight', '1aa98216d2ffa92a217318a65bfdbddcdd993b75b7b7413a785386cc945032cf', X'F85ED32D7A1A5B99625C954532B1E91C', NULL, NULL, 0, 'active', 'agent', NULL, NULL, 1772442060000000, NULL, NULL, '{}', 0, '{}', NULL, '7401552e55e3a98669e05b5c2028b6d0a7cd0edae34c44a33953750d1b2024c2', 2);
INSERT INTO memories (memory_id, version, tenant, fleet, agent, visibility, session, tier, kind, subject, predicate, object, content, content_digest, salt, importance, confidence, is_inferred, status, source, valid_from, valid_to, recorded_at, superseded_at, expires_at, qualifiers, keystone, detail, embedding, twin_key, seq) VALUES ('note-0001', 2, 'northlight', 'dock', 'dock-1', 'team', 's1', 'working', 'note', 'arm-1', 'observed', 'drift', 'arm 1 drifts to the left', '4159b8f6336432b7623810615db11d35b6d78ca7e8c616e693cea5f30be9feec', X'A5291F80BD99AB4C7975F9A48DE1EFB2', NULL, NULL, 0, 'outdated', 'agent', NULL, NULL, 1772442060000000, NULL, NULL, '{}', 0, '{}', NULL, '7bf402fa4daa416fe708941d3fe91fa0825011ddd985d68f929ee461178605bf', 2);
INSERT INTO memories (memory_id, version, tenant, fleet, agent, visibility, session, tier, kind, subject, predicate, object, content, content_digest, salt, importance, confidence, is_inferred, status, source, valid_from, valid_to, recorded_at, superseded_at, expires_at, qualifiers, keystone, detail, embedding, twin_key, seq) VALUES ('event-0001', 1, 'northlight', 'dock', 'dock-1', 'team', 's1', 'episodic', 'observation', '', '', '', 'gate four is open', '212c8784cee1801b6c223d17579e081e844dd16d270a133193b8e42c95737f42', X'89DEFB1FDA936A6CA6646F0774CF66E9', 0.4, NULL, 0, 'active', 'agent', 1772442120000000, NULL, 1772442120000000, NULL, NULL, '{}', 0, '{"importance_by": "importance 0.4 by rule: observation 0.4"}', NULL, '8a68534a314843c943eb38b06fd54def1f7b25146270d599ab45f4dceca105c8', 3);
INSERT INTO memories (memory_id, version, tenant, fleet, agent, visibility, session, tier, kind, subject, predicate, object, content, content_digest, salt, importance, confidence, is_inferred, status, source, valid_from, valid_to, recorded_at, superseded_at, expires_at, qualifiers, keystone, detail, embedding, twin_key, seq) VALUES ('fact-0001', 1, 'northlight', 'dock', 'dock-1', 'team', '', 'semantic', 'fact', 'canteen', 'has_status', 'open', 'The canteen closes at two', 'fbfe1342eb73e91387d775f925ef801019126a89e44b0a0ff6bb586e03813210', X'AB1FA97379DBFF1FC652DB3ACEE6839B', NULL, NULL, 0, 'active', 'agent', 1772442000000000, NULL, 1772442180000000, NULL, NULL, '{}', 0, '{}', NULL, 'ca4fc054796c361bf0751fb1f200344275da09a31914c3e7b36ce20ffb1c3e65', 4);
INSERT INTO memories (memory_id, version, tenant, fleet, agent, visibility, session, tier, kind, subject, predicate, object, content, content_digest, salt, importance, confidence, is_inferred, status, source, valid_from, valid_to, recorded_at, superseded_at, expires_at, qualifiers, keystone, detail, embedding, twin_key, seq) VALUES ('fact-0002', 1, 'northlight', 'dock', 'dock-1', 'team', '', 'semantic', 'fact', 'bay two', 'has_status', 'led', 'Bay two is led by dock-1', 'f4538063f0768a144a6389ad4fa64944d8baf95706b4ed54cae5017d9c6bb9fa', X'08E0E649201A9DE64744637AF93AFB01', NULL, NULL, 0, 'active', 'agent', NULL, NULL, 1772442240000000, NULL, NULL, '{}', 0, '{}', NULL, '7f829692c471173bfaa9a454a85067602509f8f88f5f40840fb77cfed7948371', 5);
INSERT INTO memories (memory_id, version, tenant, fleet, agent, visibility, session, tier, kind, subject, predicate, object, content, content_digest, salt, importance, confidence, is_inferred, status, source, valid_from, valid_to, recorded_at, superseded_at, expires_at, qualifiers, keystone, detail, embedding, twin_key, seq) VALUES ('fact-0003', 1, 'northlight', 'dock', 'dock-1', 'team', '', 'semantic', 'fact', '', '', '', '(-5 degrees)', '7240b285750141f2be885526c1ecb8742dea38e86c2c792cb424a09560565566', X'23F3E77072B3D6180CBCA30612C31D2C', NULL, NULL, 0, 'active', 'agent', NULL, NULL, 1772442300000000, NULL, NULL, '{}', 0, '{}', NULL, '664a04f8e908e6ead34e66c8c403c746716f0813f74d9dddb1819b672cd1cbed', 6);
INSERT INTO memories (memory_id, version, tenant, fleet, agent, visibility, session, tier, kind, subject, predicate, object, content, content_digest, salt, importance, confidence, is_inferred, status, source, valid_from, valid_to, recorded_at, superseded_at, expires_at, qualifiers, keystone, detail, embedding, twin_key, seq) VALUES ('fact-0004', 1, 'northlight', 'dock', 'dock-1', 'team', '', 'semantic', 'fact', '', '', '', 'The arm wants oil', 'f5a91bbba5fad1a2b320ab35da90ced54ea6fae896e72ea0497a758c2be00ad8', X'C7E7A76F30555E91B736B9C38621D36C', NULL, NULL, 0, 'active', 'agent', NULL, NULL, 1772442420000000, NULL, NULL, '{}', 0, '{}', NULL, '0f3049ee3b98e261836425cdaa2a5b2fa9fc865292f67b722c786b9fe086d9aa', 7);
INSERT INTO memories (memory_id, version, tenant, fleet, agent, visibility, session, tier, kind, subject, predicate, object, content, content_digest, salt, importance, confidence, is_inferred, status, source, valid_from, valid_to, recorded_at, superseded_at, expires_at, qualifiers, keystone, detail, embedding, twin_key, seq) VALUES ('fact-0005', 1, 'northlight', 'dock', 'shift-lead', 'team', '', 'semantic', 'fact', '', '', '', 'Belt three squeaks', '8448ca741d52c90ca5077f377659a06665c40096bd4d1e106e0605d3fc996c4a', X'8A6AE5A06422B77DD279B6BDECCACD1B', NULL, NULL, 0, 'active', 'person', NULL, NULL, 1772442540000000, NULL, NULL, '{}', 0, '{}', NULL, '51b4c053aa0936c10bc58833fcccfb375d3cd3a6b95439fcf4ec67c2146b5191', 9);
INSERT INTO memories (memory_id, version, tenant, fleet, agent, visibility, session, tier, kind, subject, predicate, object, content, content_digest, salt, importance, confidence, is_inferred, status, source, valid_from, valid_to, recorded_at, superseded_at, expires_at, qualifiers, keystone, detail, embedding, twin_key, seq) VALUES ('fact-0006', 1, 'southgate', 'cold', 'cold-1', 'team', '', 'semantic', 'fact', '', '', '', 'Door three leaks', '5e0b937b7b78b12f92565dada5f106093a5f81a870d022902974cea3413b8c9a', X'DBCD2475A15CA5F2FAAEE56718FE0F63', NULL, NULL, 0, 'active', 'agent', NULL, NULL, 1772442600000000, NULL, NULL, '{}', 0, '{}', NULL, 'd4a3bacea8a0890bc6ba58399b2fd07c70f7919e28f52ec267cecf91526e7b25', 1);
INSERT INTO meta (key, value) VALUES ('schema', '1');
INSERT INTO requests (tenant, fleet, agent, role, request_id, payload_digest, salt, receipt, seq) VALUES ('northlight', 'dock', 'dock-1', 'agent', 'r1', '37bdf9305c3e402f8ed04921de6333b7fc24b92837c2e4976088ec75d4c07c6d', X'3AB3E8414606F0BFA011BF3D8216F23C', '{"verdict": "accepted", "memory": "note-0001", "version": 1, "steps": [["shape", "passed", ""], ["clearance", "passed", ""], ["request", "passed", ""], ["reserved kind", "passed", ""], ["source", "passed", ""], ["links", "passed", ""], ["duplicate", "passed", ""], ["write", "passed", ""]], "audit_seq": 1, "candidate": null, "touched": ["note-0001"]}', 1);
