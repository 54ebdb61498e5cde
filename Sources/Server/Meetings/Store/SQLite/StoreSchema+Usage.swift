extension StoreSchema {
  /// The bytes that domains and identities of the messaging service store, and what is left to do after a transaction
  /// that would have been too long.
  ///
  /// Triggers count, so that no way of deleting is forgotten, a restore included. `INSERT OR REPLACE` into a counted
  /// table would pass them by.
  static let usage = """
    CREATE TABLE messaging_usage (domain TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE messaging_identity_usage (identity INTEGER PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
    CREATE TABLE mailbox_removed_chats (chat TEXT PRIMARY KEY, domain TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE messaging_key_notices (identity INTEGER PRIMARY KEY, after_chat TEXT NOT NULL) STRICT;

    INSERT INTO messaging_identity_usage SELECT id, (
        SELECT coalesce(sum(coalesce(length(body), 0) + 300), 0) FROM mailbox_messages WHERE sender = identity.id)
      FROM messaging_identities AS identity;
    INSERT INTO messaging_usage SELECT id,
        (SELECT coalesce(sum(bytes), 0) FROM messaging_identity_usage WHERE identity IN (
          SELECT id FROM messaging_identities WHERE domain = home.id))
        + (SELECT coalesce(sum(bytes), 0) FROM mailbox_attachments WHERE owner IN (
          SELECT id FROM messaging_identities WHERE domain = home.id))
        + (SELECT coalesce(sum(coalesce(length(subject), 0) + coalesce(length(data), 0)), 0) FROM mailbox_chat_texts
          WHERE chat IN (SELECT id FROM mailbox_chats WHERE domain = home.id))
        + (SELECT coalesce(sum(coalesce(length(key), 0) + coalesce(length(own_key), 0)), 0) FROM mailbox_envelopes
          WHERE chat IN (SELECT id FROM mailbox_chats WHERE domain = home.id))
        + (SELECT coalesce(sum(length(CAST(record AS BLOB))), 0) FROM messaging_key_records WHERE domain = home.id)
      FROM messaging_domains AS home;

    CREATE TRIGGER domain_made AFTER INSERT ON messaging_domains BEGIN
      INSERT INTO messaging_usage VALUES (new.id, 0);
    END;
    CREATE TRIGGER domain_removed AFTER DELETE ON messaging_domains BEGIN
      DELETE FROM messaging_usage WHERE domain = old.id;
    END;
    CREATE TRIGGER identity_made AFTER INSERT ON messaging_identities BEGIN
      INSERT INTO messaging_identity_usage VALUES (new.id, 0);
    END;
    CREATE TRIGGER identity_removed AFTER DELETE ON messaging_identities BEGIN
      DELETE FROM messaging_identity_usage WHERE identity = old.id;
      DELETE FROM messaging_key_notices WHERE identity = old.id;
    END;

    CREATE TRIGGER message_stored AFTER INSERT ON mailbox_messages BEGIN
      UPDATE messaging_identity_usage SET bytes = bytes + coalesce(length(new.body), 0) + 300
        WHERE identity = new.sender;
      UPDATE messaging_usage SET bytes = bytes + coalesce(length(new.body), 0) + 300
        WHERE domain = (SELECT domain FROM messaging_identities WHERE id = new.sender);
    END;
    CREATE TRIGGER message_recalled AFTER UPDATE OF body ON mailbox_messages BEGIN
      UPDATE messaging_identity_usage
        SET bytes = bytes + coalesce(length(new.body), 0) - coalesce(length(old.body), 0) WHERE identity = new.sender;
      UPDATE messaging_usage SET bytes = bytes + coalesce(length(new.body), 0) - coalesce(length(old.body), 0)
        WHERE domain = (SELECT domain FROM messaging_identities WHERE id = new.sender);
    END;
    CREATE TRIGGER message_removed AFTER DELETE ON mailbox_messages BEGIN
      UPDATE messaging_identity_usage SET bytes = bytes - coalesce(length(old.body), 0) - 300
        WHERE identity = old.sender;
      UPDATE messaging_usage SET bytes = bytes - coalesce(length(old.body), 0) - 300
        WHERE domain = (SELECT domain FROM messaging_identities WHERE id = old.sender);
    END;

    CREATE TRIGGER attachment_stored AFTER INSERT ON mailbox_attachments BEGIN
      UPDATE messaging_usage SET bytes = bytes + new.bytes
        WHERE domain = (SELECT domain FROM messaging_identities WHERE id = new.owner);
    END;
    CREATE TRIGGER attachment_removed AFTER DELETE ON mailbox_attachments BEGIN
      UPDATE messaging_usage SET bytes = bytes - old.bytes
        WHERE domain = (SELECT domain FROM messaging_identities WHERE id = old.owner);
    END;

    CREATE TRIGGER chat_texts_stored AFTER INSERT ON mailbox_chat_texts BEGIN
      UPDATE messaging_usage SET bytes = bytes + coalesce(length(new.subject), 0) + coalesce(length(new.data), 0)
        WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = new.chat);
    END;
    CREATE TRIGGER chat_texts_changed AFTER UPDATE ON mailbox_chat_texts BEGIN
      UPDATE messaging_usage
        SET bytes = bytes + coalesce(length(new.subject), 0) + coalesce(length(new.data), 0)
          - coalesce(length(old.subject), 0) - coalesce(length(old.data), 0)
        WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = new.chat);
    END;
    CREATE TRIGGER chat_texts_removed AFTER DELETE ON mailbox_chat_texts BEGIN
      UPDATE messaging_usage SET bytes = bytes - coalesce(length(old.subject), 0) - coalesce(length(old.data), 0)
        WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = old.chat);
    END;

    CREATE TRIGGER envelope_stored AFTER INSERT ON mailbox_envelopes BEGIN
      UPDATE messaging_usage SET bytes = bytes + coalesce(length(new.key), 0) + coalesce(length(new.own_key), 0)
        WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = new.chat);
    END;
    CREATE TRIGGER envelope_changed AFTER UPDATE ON mailbox_envelopes BEGIN
      UPDATE messaging_usage
        SET bytes = bytes + coalesce(length(new.key), 0) + coalesce(length(new.own_key), 0)
          - coalesce(length(old.key), 0) - coalesce(length(old.own_key), 0)
        WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = new.chat);
    END;
    CREATE TRIGGER envelope_removed AFTER DELETE ON mailbox_envelopes BEGIN
      UPDATE messaging_usage SET bytes = bytes - coalesce(length(old.key), 0) - coalesce(length(old.own_key), 0)
        WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = old.chat);
    END;

    CREATE TRIGGER key_record_stored AFTER INSERT ON messaging_key_records BEGIN
      UPDATE messaging_usage SET bytes = bytes + length(CAST(new.record AS BLOB)) WHERE domain = new.domain;
    END;
    CREATE TRIGGER key_record_changed AFTER UPDATE ON messaging_key_records BEGIN
      UPDATE messaging_usage
        SET bytes = bytes + length(CAST(new.record AS BLOB)) - length(CAST(old.record AS BLOB))
        WHERE domain = new.domain;
    END;
    CREATE TRIGGER key_record_removed AFTER DELETE ON messaging_key_records BEGIN
      UPDATE messaging_usage SET bytes = bytes - length(CAST(old.record AS BLOB)) WHERE domain = old.domain;
    END;
    """
}
