/** The body of `GET /v1/models`. */
export function listOpenAiModels(models: string[]) {
  return {
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created: 1_715_367_049, owned_by: 'system' })),
  };
}

/** The body of `GET /api/tags`. */
export function listOllamaModels(models: string[]) {
  return {
    models: models.map((name) => ({
      name,
      model: name,
      modified_at: '2025-01-01T00:00:00.000000000Z',
      size: 2_019_393_189,
      digest: 'a80c4f17acd55265feec403c7aef86be0c25983ab279d83f3bcd3abbcb5b8b72',
      details: {
        parent_model: '',
        format: 'gguf',
        family: 'llama',
        families: ['llama'],
        parameter_size: '3.2B',
        quantization_level: 'Q4_K_M',
      },
    })),
  };
}
