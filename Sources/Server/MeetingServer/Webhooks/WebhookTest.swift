public import FoundationEssentials
public import Meetings

/// An event that tries a webhook.
public enum WebhookTest {
  /// A delivery of it for the store. It waits for no meeting's events.
  public static func delivery(to webhook: Webhook, tenant: String, at now: Date) -> WebhookDelivery {
    let event = "e_" + RandomID.text(characters: 20)
    let body = WebhookBody(test: event, tenant: tenant, at: now).text ?? "{}"
    return WebhookDelivery(
      webhook: webhook.id, meeting: event, event: event, type: WebhookEventType.test.rawValue, body: body, created: now)
  }
}
