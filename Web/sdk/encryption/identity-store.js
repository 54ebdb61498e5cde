const databaseName = "parley-identity";
const stores = Object.freeze(["own", "people"]);

/** The database of identities of this browser and this server: own keys, and the people that were seen. */
export class IdentityStore {
  #opened = null;

  /**
   * Reads or writes one store.
   *
   * @param {"own" | "people"} name
   * @param {"readonly" | "readwrite"} mode
   * @param {(store: IDBObjectStore) => IDBRequest} step
   * @returns {Promise<any>} the result of the request, once the transaction is done
   * @throws {Error} where the browser keeps no data
   */
  async run(name, mode, step) {
    this.#opened ??= open();
    const database = await this.#opened.catch((error) => {
      this.#opened = null;
      throw error;
    });
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(name, mode, { durability: "strict" });
      const request = step(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("not stored"));
    });
  }

  /**
   * Changes one value, in one transaction: two tabs don't overwrite each other.
   *
   * @param {"own" | "people"} name
   * @param {string} key
   * @param {(value: any) => any} change
   * @returns {Promise<void>}
   * @throws {Error} where the browser keeps no data
   */
  async update(name, key, change) {
    await this.run(name, "readwrite", (store) => {
      const request = store.get(key);
      request.onsuccess = () => store.put(change(request.result), key);
      return request;
    });
  }
}

function open() {
  return new Promise((resolve, reject) => {
    const request = globalThis.indexedDB.open(databaseName, 1);
    request.onupgradeneeded = () => { for (const each of stores) { request.result.createObjectStore(each); } };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
  });
}
