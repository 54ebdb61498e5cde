extension StoreSchema {
  /// Meetings count their changes, so that a room that runs knows which of two records is the newer one; tenants say what becomes of people
  /// whose tokens end.
  static let changes = """
    ALTER TABLE meetings ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tenants ADD COLUMN token_expiry TEXT;
    """

  /// Meetings and entries of the log that people without a credential have caused: those end, whatever was changed, and their number is bounded. Which meetings
  /// that are the log says, where nobody else has changed them since.
  static let anonymous = """
    ALTER TABLE meetings ADD COLUMN anonymous INTEGER NOT NULL DEFAULT 0;
    UPDATE meetings SET anonymous = 1 WHERE kind <> 'personal'
      AND id IN (
        SELECT target FROM audit_log WHERE action IN ('meeting.create', 'meeting.schedule') AND actor = 'anybody')
      AND id NOT IN (
        SELECT target FROM audit_log WHERE action IN ('meeting.change', 'meeting.cancel', 'meeting.schedule')
          AND actor <> 'anybody' AND actor NOT LIKE 'holder of %');
    CREATE INDEX meetings_anonymous ON meetings (tenant) WHERE anonymous = 1;
    ALTER TABLE audit_log ADD COLUMN anonymous INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX audit_log_anonymous ON audit_log (sequence) WHERE anonymous = 1 OR actor = 'anybody';
    DROP TRIGGER audit_log_is_kept;
    CREATE TRIGGER audit_log_is_kept BEFORE DELETE ON audit_log
      WHEN old.anonymous = 0 AND old.actor <> 'anybody'
        AND old.time > (CAST(strftime('%s', 'now') AS INTEGER) - 399 * 24 * 3600) * 1000
      BEGIN SELECT raise(ABORT, 'the audit log is only added to'); END;
    """
}
