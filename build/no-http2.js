// What undici finds where Node was built without HTTP/2.
export const constants = {};
